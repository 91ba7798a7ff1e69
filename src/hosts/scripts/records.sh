# Tells of attempts: their folders stand in the working directory, and their names are the arguments of tell_attempts.
# src/core/job/jobDirectory.ts reads what it prints.
# shellcheck disable=SC2154 # place.sh assigns them
#
#   ATTEMPT/alive:owner=yes    owner, supervisor and command, as far as they are known: is this process alive?
#   ATTEMPT/FILE:LINE          each line of each file that tells of the attempt

# Of one key of a file that names a process: tells whether it lives.
tell_alive() {
  look_at_process "$3"
  alive=no
  [ -n "$start" ] && [ "$start" = "$4" ] && alive=yes
  printf '%s/alive:%s=%s\n' "$1" "$2" "$alive"
}

# By builtins alone, for a process for each attempt would take longer than everything else.
tell_processes() {
  if [ -e "$1/started" ]; then name=started; else name=claim/owner; fi
  while IFS='=' read -r key value; do
    case $key in
    owner | supervisor | command)
      pid=${value%% *} value=${value#* }
      case $pid in '' | *[!0-9]*) continue ;; esac
      tell_alive "$1" "$key" "$pid" "${value%% *}"
      ;;
    esac
  done <"$1/$name"
}

tell_files() {
  # Never the log, `run` or `env`. -a: whatever somebody has put into a file is text.
  # shellcheck disable=SC2086 # $files is words: ids have neither blanks nor patterns
  [ -z "$files" ] || grep -as '' $files /dev/null
  files='' count=0
}

# What is staged and not yet in place has a name with a dot, and what somebody else has put there is none of ours.
is_attempt() {
  case $1 in *[!0-9a-z-]*) return 1 ;; esac
}

tell_attempts() {
  # First: what a process had to write before it died is there when the files are read.
  for attempt; do
    if is_attempt "$attempt" && ! [ -e "$attempt/status" ]; then tell_processes "$attempt"; fi
  done
  files='' count=0
  for attempt; do
    is_attempt "$attempt" || continue
    for name in spec.json claim/owner started refused status stopping relaunched/by told; do
      files="$files $attempt/$name"
    done
    count=$((count + 1))
    # Far below the 128 KiB that every Linux takes.
    [ "$count" -lt 100 ] || tell_files
  done
  tell_files
}

tell_machine() {
  printf '%s\n' "format=1" "machine=$1" "boot_id=$boot_id" "now=$(date +%s)" "jobs=$folder/$1/jobs"
}
