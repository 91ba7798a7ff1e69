# Tells of attempts, whose folders stand in the working directory, in a few forks however many there are.
# src/core/job/directory/jobDirectory.ts reads what it prints.
# shellcheck disable=SC2154 # place.sh assigns them
#
#   ATTEMPT/alive:owner=yes    owner, supervisor and command, as far as they are known: is this process alive?
#   ./ATTEMPT/FILE:LINE        each line of each file that tells of the attempt

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

# What is staged and not yet in place has a name with a dot, and what somebody else has put there is none of ours.
is_attempt() {
  case $1 in *[!0-9a-z-]*) return 1 ;; esac
}

# The files below $1, in as many processes as the limit of an argument list makes necessary. Never the log, `run` or `env`.
# -a: whatever somebody has put into a file is text.
tell_files() {
  find "$1" -type f \( -name spec.json -o -name owner -o -name started -o -name refused -o -name status \
    -o -name stopping -o -name by -o -name told \) -exec grep -as '' /dev/null {} +
}

# Of the attempts that are the arguments behind the first, in the folder $1: the working directory, or that of one of them.
tell_attempts() {
  below=$1
  shift
  # First: what a process had to write before it died is there when the files are read.
  logs=
  for attempt; do
    if ! is_attempt "$attempt" || [ -e "$attempt/status" ]; then continue; fi
    tell_processes "$attempt"
    logs="$logs $attempt/log"
  done
  # shellcheck disable=SC2086 # $logs is words
  [ -z "$logs" ] || stat -L -c '%n:grown=%Y %s' $logs
  tell_files "$below"
}

tell_machine() {
  printf '%s\n' "format=1" "machine=$1" "boot_id=$boot_id" "now=$(date +%s)" "jobs=$folder/$1/jobs"
}
