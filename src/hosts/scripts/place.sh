# What the scripts of the job directory share: it stands before each of them. $STATE, the setting for the folder of state,
# is assigned by what runs it; empty, it is $HOME/.local/state. ARCHITECTURE.md, "The job directory", has the protocol.
# shellcheck disable=SC2034 # much of it is for the scripts behind
exec 2>/dev/null
LC_ALL=C
export LC_ALL
# What a login may have set for the shells and tools it expects: folders that `cd` would rather go to, options of older
# greps, a limit on how long bash waits for a line, and by SHELLOPTS every option of bash.
unset CDPATH GREP_OPTIONS TMOUT
set +aCefu

# Sets $line to the first line of a file, empty if there is none. The redirection of a loop fails without harm.
first_line() {
  line=
  while IFS= read -r line; do return; done <"$1"
}

# Sets $start to when the process $1 began: field 22 of its stat, counted after the last parenthesis, for its name may hold
# anything. Empty when there is none, or when only its entry is left because nobody takes it away.
look_at_process() {
  start='' stat=''
  while IFS= read -r line; do stat="$stat $line"; done <"/proc/$1/stat"
  # shellcheck disable=SC2086 # the fields are a letter and numbers
  set -- ${stat##*)}
  case ${1:-X} in [ZXx]) ;; *) start=${20:-} ;; esac
}

# The path $1 with a home at its beginning resolved; nothing when there is no home.
at_home() {
  case $1 in
  \~ | \~/*) [ -z "${HOME:-}" ] || printf '%s' "$HOME${1#\~}" ;;
  *) printf '%s' "$1" ;;
  esac
}

# Sets $folder and $machine, or $reason and $detail and fails. $folder is there already, or is not to be made: $1 is `make`
# or `look`.
find_place() {
  reason='' detail=''
  folder=$(at_home "${STATE:-~/.local/state}")/headroom
  case $folder in
  /headroom) reason=noHome && return 1 ;;
  /*) ;;
  *) reason=badState && return 1 ;;
  esac
  find_machine
  if [ "$1" = look ] && ! [ -d "$folder" ]; then return; fi
  if ! [ -d "$folder" ] && ! detail=$(mkdir -p "$folder" 2>&1); then
    name_reason && return 1
  fi
  if ! cd -P "$folder" || ! [ -O . ]; then reason=notOurs && return 1; fi
}

# A machine id in a container is the image's, the same in each that is made from it; processes are told apart only within
# one. `pid:[4026531836]` is the machine's first pid namespace (PROC_PID_INIT_INO in linux/proc_ns.h).
find_machine() {
  first_line /proc/sys/kernel/random/boot_id
  boot_id=$line
  first_line /proc/sys/kernel/hostname
  hostname=$(printf '%s' "$line" | tr -c 'A-Za-z0-9.-' _)
  first_line /etc/machine-id
  machine=$line earlier=
  case $(readlink /proc/self/ns/pid) in pid:?4026531836?) ;; *) machine= ;; esac
  case $machine in *[!0-9a-f]*) machine= ;; esac
  if [ ${#machine} != 32 ]; then
    machine=$boot_id-$hostname
    earlier=$hostname
  fi
}

# Sets $reason from $detail, what a tool said on stderr. The words are those of strerror(3).
name_reason() {
  case $detail in
  *'No space left'*) reason=diskFull ;;
  *'quota exceeded'*) reason=quota ;;
  *'Read-only file system'*) reason=readOnly ;;
  *'not yours'*) reason=notOurs ;;
  *'Permission denied'* | *'not permitted'*) reason=denied ;;
  *) reason=noPlace ;;
  esac
}
