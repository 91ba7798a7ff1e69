# Sends a signal to processes, each only if it is still the one that is meant. The arguments, which whoever sends this
# script sets before it (src/core/job/process/signalling.ts): the signal's name, then PID:START for each process, START being field
# 22 of /proc/PID/stat, the clock ticks since boot at which it began. Prints a line for each:
#
#   PID:START sent|gone|refused      gone: no such process any more, or another one with its pid; refused: not ours
#
# Between looking at a process and signalling it nothing is forked: both are done by builtins, within microseconds.
exec 2>/dev/null
LC_ALL=C
export LC_ALL
set +Ceu
set -f
unset IFS

# Sets $start to when the process $1 began, empty if there is none. Its name stands in parentheses and may hold anything,
# line feeds and parentheses too, so that only what follows the last one is counted.
look_at() {
  start='' stat=''
  # The redirection of a loop fails without harm when there is no such file; that of a builtin may end the shell.
  while IFS= read -r line; do stat="$stat $line"; done <"/proc/$1/stat"
  # shellcheck disable=SC2086 # the fields are numbers
  set -- ${stat##*)}
  # The first one is field 3.
  [ $# -lt 20 ] || start=${20}
}

signal=$1
shift
for target; do
  look_at "${target%:*}"
  if [ "$start" != "${target#*:}" ]; then
    answer=gone
  # By `command`, because bash takes functions from the environment of a login.
  elif command kill -s "$signal" "${target%:*}"; then
    answer=sent
  else
    look_at "${target%:*}"
    if [ "$start" = "${target#*:}" ]; then answer=refused; else answer=gone; fi
  fi
  printf '%s %s\n' "$target" "$answer"
done
