# Launches one attempt, once, however often it is run. place.sh and records.sh stand before it, and what runs it assigns
# $ATTEMPT, $PARENT (an attempt that this one takes the place of, or empty), $LOGS (a folder for logs, or empty), and the
# texts of the files: $SPEC, $RUN, $ENVIRONMENT and $SUPERVISE. src/core/job/directory/launchAnswer.ts reads what it prints.
# shellcheck disable=SC2154 # place.sh assigns them
#
#   answer=launched|waiting|relaunched|refused     waiting: in place, and not seen to start; the records tell more
#   reason=…, detail=…, writable=…                 why it was refused, and a folder where it could have been
#   by=ATTEMPT                                     relaunched: who has the place already
#   and, unless it was refused, the records of the attempt

user_umask=$(umask)
umask 077

refuse() {
  printf '%s\n' 'answer=refused' "reason=$reason" "detail=$(printf '%s' "$detail" | tail -n 1)"
  case $reason in noSetsid | noProc) return ;; esac
  for place in "${XDG_RUNTIME_DIR:-}" /var/tmp /tmp /dev/shm; do
    if [ -n "$place" ] && [ -d "$place" ] && [ -w "$place" ]; then
      printf '%s\n' "writable=$place"
      return
    fi
  done
}

# Sets $setsid and $me, the name that nothing else on this host has.
look_around() {
  setsid=$(command -v setsid) || { reason=noSetsid && return 1; }
  look_at_process self
  me=$$.$start
  [ -n "$start" ] || { reason=noProc && return 1; }
}

enter_jobs() {
  find_place make || return
  chmod 700 .
  detail=$(mkdir -p "$machine/jobs" 2>&1) && cd -P "$machine/jobs" && return
  name_reason
  return 1
}

# A launch that was killed leaves its stage. It is named after its shell: $attempt.new.$pid.$start.
sweep() {
  for left in *.new.*.*; do
    pid=${left%.*}
    look_at_process "${pid##*.}"
    [ -d "$left" ] && [ "$start" != "${left##*.}" ] && rm -rf "./$left"
  done
}

# Writes everything that the attempt consists of. Runs in a subshell, and its words are the detail if it fails.
fill_stage() {
  exec 2>&1
  mkdir "$stage" && cd "$stage" || return
  # The builtin printf of dash calls every failure an I/O error; dd tells a full disk from a quota. The sync is for file
  # systems that notice only then.
  said=$(dd if=/dev/zero of=probe bs=65536 count=1 conv=fsync 2>&1) || {
    # What follows the first line are its figures.
    printf '%s\n' "$said" | head -n 1
    return 1
  }
  rm -f probe || return
  printf '%s\n' "$SPEC" >spec.json && printf '%s' "$RUN" >run && printf '%s' "$ENVIRONMENT" >./env &&
    printf '%s' "$SUPERVISE" >supervise || return
  [ -z "$LOGS" ] || link_log
}

link_log() {
  logs=$(at_home "$LOGS")
  mkdir -p "$logs" || return
  # In a folder of somebody else the log could be exchanged for a file that they can read.
  [ -O "$logs" ] || { printf '%s is not yours\n' "$logs" && return 1; }
  true >>"$logs/$ATTEMPT.log" && ln -s "$logs/$ATTEMPT.log" log
}

# Renames the folder $1 to $2 unless there is one. Whatever mv says, what counts is who is in $2 afterwards.
take() {
  [ -d "$2" ] || mv "$1" "$2"
  # Both were there, or came to be in between: then it is where it was, or mv has put it inside.
  rm -rf "./$1" "./$2/${1##*/}"
}

stage_attempt() {
  sweep
  [ -d "$ATTEMPT" ] && return
  stage=$ATTEMPT.new.$me
  if detail=$(fill_stage); then
    take "$stage" "$ATTEMPT"
    [ -d "$ATTEMPT" ] && return
  fi
  rm -rf "./$stage"
  name_reason
  return 1
}

# Sets $by to the attempt that has the place of the parent, which is this one if nobody was faster.
take_place() {
  by=$ATTEMPT
  [ -n "$PARENT" ] && [ -d "$PARENT" ] || return 0
  if ! [ -d "$PARENT/relaunched" ]; then
    mine=$PARENT/relaunched.$me
    detail=$(mkdir "$mine" 2>&1) && printf '%s\n' 'format=1' "attempt=$ATTEMPT" >"$mine/by" &&
      take "$mine" "$PARENT/relaunched"
    rm -rf "./$mine"
  fi
  by=
  while IFS='=' read -r key value; do [ "$key" != attempt ] || by=$value; done <"$PARENT/relaunched/by"
  [ -n "$by" ]
}

# An attempt that never was: only while nobody can have begun it.
take_back() {
  [ -d "$ATTEMPT/claim" ] && return
  log=$(readlink "$ATTEMPT/log") && rm -f "$log"
  rm -rf "./$ATTEMPT"
}

# In the foreground, for of what is started with `&` dash and busybox ignore SIGINT for good, and so would the job. The
# supervisor ends this subshell, which waits for it, as soon as it has begun. Of the state of this shell it gets little: its
# descriptors would keep the channel open.
spawn() (
  cd "$ATTEMPT" || exit
  read -r shim _ </proc/self/stat
  "$setsid" sh ./supervise "$ATTEMPT" "$user_umask" "$shim" </dev/null >/dev/null 2>&1
  :
)

# Whether nobody will start the attempt any more: who claimed it is dead. `started` is looked for after that.
is_lost() {
  while IFS='=' read -r key value; do
    [ "$key" = owner ] || continue
    look_at_process "${value%% *}"
    value=${value#* }
    [ "$start" != "${value%% *}" ]
    return
  done <"$ATTEMPT/claim/owner"
  return 1
}

# Up to 10 s. Not every sleep knows fractions.
wait_for_start() {
  left=200 lost=
  while [ "$left" -gt 0 ]; do
    if [ -e "$ATTEMPT/started" ] || [ -e "$ATTEMPT/status" ]; then
      answer=launched
      return
    fi
    [ -z "$lost" ] || break
    if is_lost; then
      lost=1
    elif sleep 0.05; then
      left=$((left - 1))
    else
      sleep 1
      left=$((left - 20))
    fi
  done
  answer=waiting
}

launch() {
  printf 'format=1\n'
  if ! look_around || ! enter_jobs || ! stage_attempt; then
    refuse
    return
  fi
  if ! take_place; then
    take_back
    name_reason
    refuse
    return
  fi
  if [ "$by" != "$ATTEMPT" ]; then
    take_back
    printf '%s\n' 'answer=relaunched' "by=$by"
    return
  fi
  [ -d "$ATTEMPT/claim" ] || spawn
  wait_for_start
  printf '%s\n' "answer=$answer"
  tell_machine "$machine"
  tell_attempts "./$ATTEMPT" "$ATTEMPT"
}

launch
