# Runs one attempt and writes down how it ended. It lies beside the attempt's other files, and its working directory is
# theirs. Started by launch.sh, any number of times: only one claims the attempt.
#
#   sh ./supervise ATTEMPT UMASK SHIM    UMASK is the user's; SHIM the subshell that waits for this to have begun
attempt=$1 user_umask=$2

# Handled, not ignored: what is ignored stays ignored in the command.
trap : HUP INT TERM
# It must be our parent: whoever tries this script by hand is not to lose their shell.
[ "$PPID" != "$3" ] || kill "$3"
umask 077
LC_ALL=C
export LC_ALL

# Within so many seconds of its start, a command that left something running has detached it.
detached_within=10

# Sets $pid and $start of this process, be it a subshell, as /proc/PID/stat has them.
look_at_self() {
  read -r stat </proc/self/stat
  pid=${stat%% *}
  # shellcheck disable=SC2086 # the fields are a letter and numbers
  set -- ${stat##*)}
  start=${20}
}

# Sets $kills to how many processes the kernel has killed for want of memory, empty where it does not count.
count_kills() {
  kills=
  while read -r key value; do [ "$key" != oom_kill ] || kills=$value; done </proc/vmstat
}

# Writes a file at once or not at all: its name, then its lines.
write_file() {
  file=$1
  shift
  printf '%s\n' "$@" >"$file.new" && mv "$file.new" "$file"
}

# Whether the attempt is this process's. A folder that has its owner in it cannot be taken by a rename, only moved into.
claim() {
  nonce="$pid $start $boot_id"
  mine=claim.$pid.$start
  [ -d claim ] || { mkdir "$mine" && write_file "$mine/owner" format=1 "owner=$nonce" "at=$(date +%s)" && mv "$mine" claim; }
  owner=
  while IFS='=' read -r key value; do [ "$key" != owner ] || owner=$value; done <claim/owner
  rm -rf "./$mine" "./claim/$mine"
  [ "$owner" = "$nonce" ]
}

# The command's odds of being taken when memory runs out, which need no right to be raised. What it has under, the kernel
# takes first; this supervisor stays to tell.
offer_to_kernel() {
  read -r score </proc/self/oom_score_adj || return
  score=$((score + 500))
  [ "$score" -le 1000 ] || score=1000
  printf '%s\n' "$score" >/proc/self/oom_score_adj
}

# Becomes the command, in a session of its own. Nothing of this shell's environment goes with it.
become_command() {
  setsid=$(command -v setsid) && shell=$(command -v bash || command -v sh) && environment=$(command -v env) || exit
  look_at_self
  claim || exit
  count_kills
  log=$(readlink log) || log=$PWD/log
  write_file started format=1 "at=$(date +%s)" "boot_id=$boot_id" "supervisor=$supervisor" "command=$pid $start" \
    "oom_kill=$kills" "log=$log" || exit
  true >>log || { write_file refused format=1 reason=log && exit 1; }
  offer_to_kernel
  exec </dev/null >>log 2>&1
  umask "$user_umask"
  exec "$environment" -i HEADROOM_ATTEMPT="$attempt" "$setsid" "$shell" "$PWD/run"
}

# Whether anything of the command lives: a member of its session, or one that carries its marker.
left_behind() {
  for stat in /proc/[0-9]*/stat; do
    line=
    while read -r line; do :; done <"$stat"
    # shellcheck disable=SC2086 # the fields are a letter and numbers
    set -- ${line##*)}
    case ${1:-Z} in [ZXx]) continue ;; esac
    [ "${4:-}" != "$command" ] || return 0
  done
  grep -qas "HEADROOM_ATTEMPT=$attempt" /proc/[0-9]*/environ
}

tell_end() {
  while ! write_file status format=1 "at=$now" "exit=$code" "oom_kill=$kills" "detached=$detached"; do
    [ -e "$PWD/claim" ] || exit
    sleep 10
  done
}

read -r boot_id </proc/sys/kernel/random/boot_id
look_at_self
supervisor="$pid $start"

(become_command)
code=$?

began='' command='' watcher=''
while IFS='=' read -r key value; do
  case $key in
  at) began=$value ;;
  supervisor) watcher=$value ;;
  command) command=${value%% *} ;;
  esac
done <started
[ "$watcher" = "$supervisor" ] || exit 0

count_kills
now=$(date +%s) detached=no
if [ "$code" = 0 ] && [ $((now - began)) -le "$detached_within" ] && left_behind; then
  # Some take a moment to end.
  sleep 1
  left_behind && detached=yes
fi
tell_end
