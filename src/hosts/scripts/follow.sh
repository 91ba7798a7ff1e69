# The log follower: answers each `tick` line on stdin with one frame on stdout, at once. It has no timer, does nothing while
# nothing is asked, and ends when stdin does. $NONCE and $JOBS, the folder with one folder for each attempt, are assigned by
# what runs it. src/core/job/log/followProtocol.ts reads what it prints.
#
#   follow KEY ATTEMPT OFFSET INODE   from this byte on; OFFSET may be `tail`, and INODE `-` for a log that was never read
#   unfollow KEY
#   tick BYTES                        send about so much at most, in equal shares
#
# The log of an attempt is $JOBS/ATTEMPT/log, a file or a symbolic link to one; beside it lies `status` when it has ended. All
# of them are looked at by one `stat`, for a process each would cost more than everything else; only a log that grew is opened.

# What goes wrong is told in frames; nobody reads stderr.
exec 2>/dev/null
LC_ALL=C
export LC_ALL
# What a login may have set for the shells and tools it expects: a limit on how long bash waits for a line, and by SHELLOPTS
# every option of bash.
unset TMOUT
set +Ceu
set -f

# A log with more than this left to read is not read from there: only its tail is.
catch_up_bytes=8388608
tail_bytes=262144

newline='
'
# Control lines carry the nonce, so that nothing in a log can pretend to be one.
mark=$(printf '\036%s ' "$NONCE")
# They are kept until there is something to go after them, for each write is a packet and wakes the SSH server.
kept=
control() { kept=$kept$mark$1$newline; }
flush() {
  printf %s "$kept"
  kept=
}

# Writes $bytes bytes of $file, from $offset on. Fails when it could not.
if [ "$(printf abc | dd bs=4 iflag=skip_bytes,count_bytes skip=1 count=1)" = b ]; then
  read_part() { dd if="$file" bs=65536 iflag=skip_bytes,count_bytes skip="$offset" count="$bytes"; }
else
  # An older dd counts in blocks only. Twice the processes.
  read_part() { tail -c "+$((offset + 1))" "$file" | head -c "$bytes"; }
fi

# ---- What is followed: $keys, and for each key variables that end in it ----

# Sets $paths, relative to $JOBS, in the order of $keys. $settled is what stat said when there was nothing left to do.
list_paths() {
  paths='' ends='' settled=-
  for key in $keys; do eval "paths=\"\$paths \$attempt_$key/log\" ends=\"\$ends \$attempt_$key/status\""; done
  paths=$paths$ends
}

is_number() {
  # No more digits than arithmetic can hold, and none that would make it octal.
  case $1 in '' | *[!0-9]* | 0?* | ????????????????*) return 1 ;; esac
}

follow() {
  key=$1 attempt=$2 offset=$3 inode=$4 most=$catch_up_bytes
  is_number "$key" || return
  case $attempt in '' | [.-]* | *[!A-Za-z0-9._-]*) return ;; esac
  case $inode in -) ;; '' | *[!0-9]*) return ;; esac
  if [ "$offset" = tail ]; then
    offset=0 most=$tail_bytes
  else
    is_number "$offset" || return
  fi
  eval "attempt_$key=\$attempt offset_$key=\$offset inode_$key=\$inode most_$key=\$most missing_$key= ended_$key="
  case " $keys " in *" $key "*) ;; *) keys="$keys $key" ;; esac
  list_paths
}

unfollow() {
  others=
  for key in $keys; do [ "$key" = "$1" ] || others="$others $key"; done
  keys=$others
  list_paths
}

# ---- A frame ----

# Sets $inode and $size of the log of $key when it can be read. The arguments are what stat said from this log on.
look_at() {
  eval "attempt=\$attempt_$key known=\$inode_$key offset=\$offset_$key missing=\$missing_$key"
  [ "$4" = "$attempt/log" ] || return
  inode=$2 size=$3
  # A pipe or a device in its place would hold us up: only a regular file is a log.
  case $1 in 8???) ;; *) return 1 ;; esac
}

# Tells what became of the log of $key, and adds it to $grown if there is something to read.
judge() {
  if [ "$inode $size" = "$known $offset" ]; then return; fi
  if [ "$known" != - ] && [ "$inode" != "$known" ]; then
    control "replaced $key"
    offset=0
  elif [ "$size" -lt "$offset" ]; then
    control "truncated $key"
    offset=0
  fi
  eval "most=\$most_$key"
  if [ $((size - offset)) -gt "$most" ]; then
    control "skipped $key $offset $((size - tail_bytes))"
    offset=$((size - tail_bytes))
  fi
  eval "inode_$key=$inode offset_$key=$offset size_$key=$size most_$key=$catch_up_bytes"
  if [ "$size" -gt "$offset" ]; then
    grown="$grown $key"
    count=$((count + 1))
  fi
}

# Sends what $key has to be read, or its share of what may be sent.
send_part() {
  eval "attempt=\$attempt_$key inode=\$inode_$key offset=\$offset_$key size=\$size_$key"
  file=$attempt/log
  bytes=$((size - offset))
  share=$((left / count + 1))
  if [ "$bytes" -gt "$share" ]; then
    bytes=$share
    rest='more'
  fi
  control "bytes $key $inode $offset"
  flush
  read_part || bytes=0 settled=-
  control "sent $bytes"
  eval "offset_$key=\$((offset + bytes))"
  left=$((left - bytes)) count=$((count - 1))
}

# The arguments are what stat said of all logs that are there, and then of every `status`: an attempt that has one is over.
judge_all() {
  for key in $keys; do
    if look_at "$@"; then
      [ -z "$missing" ] || eval "missing_$key="
      judge
    elif [ -z "$missing" ]; then
      eval "missing_$key=1"
      control "missing $key"
    fi
    # What is not there has no line of its own.
    [ "$4" != "$attempt/log" ] || shift 4
  done
  for key in $keys; do
    eval "attempt=\$attempt_$key ended=\$ended_$key"
    [ "$4" = "$attempt/status" ] || continue
    shift 4
    [ -n "$ended" ] || control "ended $key"
    eval "ended_$key=1"
  done
}

tick() {
  is_number "$1" || return
  left=$1 grown='' count=0 rest=all
  seq=$((seq + 1))
  # The folder may only now have come into being, and to stay in it would keep its file system busy.
  if [ -n "$keys" ] && cd -P "$JOBS"; then
    # shellcheck disable=SC2086 # $paths is words
    looks=$(stat -L -c '%f %i %s %n' $paths)
  else
    looks=
  fi
  if [ "$looks" != "$settled" ]; then
    settled=$looks
    # shellcheck disable=SC2086 # words, in the order of $keys
    judge_all $looks
    for key in $grown; do send_part; done
    [ "$rest" = all ] || settled=-
  fi
  cd /
  control "end $seq $rest"
  flush
}

# ---- The stream ----

trap 'exit 0' HUP INT TERM PIPE
keys='' paths='' ends='' settled='' known='' missing='' seq=0
control ready
flush

while read -r word one two three four; do
  case $word in
  follow) follow "$one" "$two" "$three" "$four" ;;
  unfollow) unfollow "$one" ;;
  tick) tick "$one" ;;
  esac
done
