# The watch: answers each `tick` line on stdin with one frame on stdout, at once. It has no timer, does nothing while
# nothing is asked, and ends when stdin does. $NONCE and, where the user set it, $HEADROOM_NVIDIA_SMI are assigned by what
# runs it. src/core/host/watchProtocol.ts reads what it prints.
#
#   tick FLAGS   g: query the GPUs, p: their processes too, l: list MIG devices too, -: only what is always told
#
# The GPU query is a background child that writes to files, for nvidia-smi may hang for good; a frame never waits for it.
# One query at a time, and none sooner after the last one began than 4 times what that one took.

# What goes wrong is told in frames; nobody reads stderr.
exec 2>/dev/null
umask 077
LC_ALL=C
export LC_ALL
# What a login may have set for the shells and tools it expects: a limit on how long bash waits for a line, options of older
# greps, and by SHELLOPTS every option of bash.
unset TMOUT GREP_OPTIONS
set +Cefu

newline='
'
gpu_fields=index,uuid,name,memory.total,memory.used,utilization.gpu,temperature.gpu,power.draw,power.limit,enforced.power.limit,mig.mode.current
# What every driver knows: asked for when one of the others is refused (exit code 2).
gpu_base_fields=index,uuid,name,memory.total,memory.used,utilization.gpu,temperature.gpu,power.draw,power.limit
app_fields=gpu_uuid,pid,process_name,used_gpu_memory
# Few bytes: the numbers that HostMemory is made of, and no others. A bare number or `max` is all that a limit file holds.
memory_lines='^Mem(Total|Available):|^oom_kill |^some |^(total_)?inactive_file |^[0-9]+$|^max$'

# Control lines carry the nonce, so that no text passing through can pretend to be one.
control() { printf '\036%s %s\n' "$NONCE" "$1"; }

# Sets $line to the first line of a file, empty if there is none.
first_line() {
  line=
  read -r line <"$1"
}

# Sets $uptime as the kernel prints it and $now to the same in hundredths of a second, without forking.
look_at_clock() {
  first_line /proc/uptime
  uptime=${line%% *}
  now=${uptime%.*}${uptime#*.}
  # A leading zero would make it octal.
  while :; do
    case $now in
    0?*) now=${now#0} ;;
    *) return ;;
    esac
  done
}

# ---- Who and where this host is ----

find_nvidia_smi() {
  smi=
  if [ -n "${HEADROOM_NVIDIA_SMI:-}" ]; then
    [ -f "$HEADROOM_NVIDIA_SMI" ] && [ -x "$HEADROOM_NVIDIA_SMI" ] && smi=$HEADROOM_NVIDIA_SMI
    return
  fi
  smi=$(command -v nvidia-smi) && return
  # A login that is not interactive often has a bare PATH.
  for place in /usr/bin /usr/local/bin /usr/local/nvidia/bin /usr/lib/wsl/lib /opt/bin /run/current-system/sw/bin; do
    [ -x "$place/nvidia-smi" ] && smi=$place/nvidia-smi && return
  done
}

say_hello() {
  first_line /proc/sys/kernel/hostname
  hostname=$line
  first_line /etc/machine-id
  machine_id=$line
  first_line /proc/sys/kernel/random/boot_id
  boot_id=$line
  pid_namespace=$(readlink /proc/self/ns/pid)
  control hello
  printf '%s\n' "system=$(uname -s)" "hostname=$hostname" "machine_id=$machine_id" "boot_id=$boot_id" \
    "pidns=$pid_namespace" "nvidia_smi=$smi"
  control 'hello end'
}

# ---- Memory ----

# Adds the files of a cgroup and all its ancestors to $memory_files: $1 the mount, $2 the cgroup, then the names.
add_cgroup() {
  mount=$1 level=${2%/}
  shift 2
  # Outside of our cgroup namespace: only its root can be seen.
  case $level in /.. | /../*) level= ;; esac
  while :; do
    # The root of the machine has no limit, and in a container the upper levels are not there.
    if [ -r "$mount$level/$1" ]; then
      for name; do memory_files=$memory_files$newline$mount$level/$name; done
    fi
    [ -n "$level" ] || return
    level=${level%/*}
  done
}

find_memory_files() {
  memory_files=/proc/meminfo$newline/proc/vmstat$newline/proc/pressure/memory
  [ -r /proc/self/cgroup ] || return
  while IFS=: read -r _ controllers cgroup; do
    case ,$controllers, in
    ,,)
      for mount in /sys/fs/cgroup /sys/fs/cgroup/unified; do
        add_cgroup "$mount" "$cgroup" memory.max memory.current memory.stat
      done
      ;;
    *,memory,*)
      add_cgroup /sys/fs/cgroup/memory "$cgroup" memory.limit_in_bytes memory.usage_in_bytes memory.stat
      ;;
    esac
  done </proc/self/cgroup
}

# ---- The scratch directory, where the query leaves its answer ----

# Takes our files out of $left. From inside: in a folder that all may write to, another user can have put a link in its
# place, to a folder where files of these names are somebody's work.
empty_left_over() (
  cd -P "$left" || exit
  case $PWD in */"$own".*) [ -O . ] && rm -f ./answer ./done ./base ;; esac
)

# Ours by name: user, boot, pid namespace and pid. What a stream left behind that was killed outright is taken away.
make_scratch() {
  namespace=${pid_namespace#*:?}
  own=headroom-watch.$(id -u).${boot_id%%-*}.${namespace%?}
  for place in "${XDG_RUNTIME_DIR:-}" /dev/shm "${TMPDIR:-}" /tmp; do
    if [ -z "$place" ] || ! [ -w "$place" ]; then continue; fi
    for left in "$place/$own".*; do
      pid=${left#"$place/$own."}
      pid=${pid%%.*}
      [ -d "$left" ] && [ ! -d "/proc/$pid" ] && empty_left_over && rmdir "$left"
    done
    scratch=$(mktemp -d "$place/$own.$$.XXXXXX") && return
  done
  scratch=
  return 1
}

# ---- The GPU query ----

# Sets $polite, the words before a command that may be slow: a time limit where there is one, and a low priority. The limit
# is a long one: eight cards without persistence mode take half a minute, and a frame tells how long the wait has been. Not
# the lowest priority: beside a build on every core that would make the numbers seconds old.
find_politeness() {
  if timeout -k 2 60 true; then
    polite='timeout -k 2 60'
  elif timeout 60 true; then
    polite='timeout 60'
  else
    polite=
  fi
  nice -n 10 true && polite="nice -n 10 $polite"
}

# Runs a command so that a signal to this shell can end it. Sets $code. The line feed after its output is not part of it:
# the reader joins lines, so what has no line feed at its end stays so.
run_section() {
  control "out $1"
  shift
  # shellcheck disable=SC2086 # $polite is words
  $polite "$@" 2>&1 &
  tool=$!
  wait "$tool"
  code=$?
  tool=
  printf '\n'
  control "exit $code"
}

query_gpus() {
  if ! [ -e "$scratch/base" ]; then
    run_section gpus "$smi" --query-gpu=$gpu_fields --format=csv
    [ "$code" = 2 ] || return
  fi
  run_section 'gpus base' "$smi" --query-gpu=$gpu_base_fields --format=csv
  [ "$code" = 2 ] || printf '' >"$scratch/base"
}

# Who owns the listed processes. Their pids mean something only in the machine's first pid namespace
# (PROC_PID_INIT_INO in linux/proc_ns.h).
tell_owners() {
  [ "$pid_namespace" = 'pid:[4026531836]' ] || return
  pids=
  while IFS=', ' read -r _ pid _; do
    case $pid in '' | *[!0-9]*) continue ;; esac
    case " $pids " in *" /proc/$pid "*) ;; *) pids="$pids /proc/$pid" ;; esac
  done <"$scratch/answer"
  # shellcheck disable=SC2086 # $pids is words
  [ -z "$pids" ] || run_section owners stat -c '%n %u %U' $pids
}

# The body of the background child. `done` gets its line when all of the answer is there: the time taken and the end.
query() {
  # A tool that prints without end must not fill the memory that the answer lies in: 1 MiB, in blocks of 512 bytes.
  trap '' XFSZ
  ulimit -f 2048
  trap '[ -z "$tool" ] || kill "$tool"; exit' HUP TERM
  query_gpus
  # Ended by the time limit: asking the same driver more questions would only take longer.
  case $code in
  124 | 137) ;;
  *)
    case $1 in *l*) run_section list "$smi" -L ;; esac
    case $1 in
    *p*)
      run_section apps "$smi" --query-compute-apps=$app_fields --format=csv
      tell_owners
      ;;
    esac
    ;;
  esac
  look_at_clock
  printf '%s %s\n' $((now - started)) "$now" >"$scratch/done"
}

start_query() {
  if [ -z "$scratch" ] || ! [ -d "$scratch" ]; then make_scratch; fi
  # Empty, `done` says that there is no answer yet.
  if [ -z "$scratch" ] || ! printf '' >"$scratch/done"; then
    return 1
  fi
  look_at_clock
  started=$now
  query "$1" </dev/null >"$scratch/answer" &
  child=$!
  control 'query started'
}

# Whether the process $child is still our child and alive. A pid may have been given to another process since.
child_lives() {
  first_line "/proc/$child/stat"
  # The name in parentheses is a shell's, without blanks.
  case $line in
  "$child ("*") Z "*) return 1 ;;
  "$child ("*") "?" $$ "*) return 0 ;;
  *) return 1 ;;
  esac
}

# Sets $ended (hundredths since boot) and $took when the query has finished.
child_finished() { read -r took ended <"$scratch/done" && [ -n "$ended" ]; }

tell_gpus() {
  if [ -z "$smi" ]; then
    control 'gpu none'
    return
  fi
  told=
  if [ -n "$child" ]; then
    look_at_clock
    alive=
    child_lives && alive=1
    if child_finished; then
      wait "$child"
      child=
      look_at_clock
      control "gpu answered $((took * 10)) $(((now - ended) * 10))"
      cat "$scratch/answer"
      # It may have been cut off inside a line.
      printf '\n'
      told=1
    elif [ -n "$alive" ]; then
      control "gpu running $(((now - started) * 10))"
      told=1
    else
      child=
      control 'gpu broken the query ended without an answer'
      told=1
    fi
  fi
  case $1 in
  *g*)
    if [ -z "$child" ] && [ $((now - started)) -ge $((took * 4)) ]; then
      if start_query "$1"; then
        [ -n "$told" ] || control 'gpu running 0'
      else
        [ -n "$told" ] || control 'gpu broken no folder for scratch files can be written to'
      fi
      told=1
    fi
    ;;
  esac
  [ -n "$told" ] || control 'gpu idle'
}

# ---- The stream ----

leave() {
  trap '' HUP INT TERM PIPE
  if [ -n "$child" ] && child_lives; then
    kill "$child"
    wait "$child"
  fi
  [ -z "$scratch" ] || rm -rf "$scratch"
  exit 0
}

child='' scratch='' tool='' took=0 started=0 seq=0
trap leave HUP INT TERM PIPE

control ready
find_nvidia_smi
say_hello
find_memory_files
if [ -n "$smi" ]; then find_politeness; fi

IFS=$newline
set -f
# shellcheck disable=SC2086 # one file a line
set -- $memory_files
set +f
unset IFS

while read -r word flags; do
  [ "$word" = tick ] || continue
  seq=$((seq + 1))
  look_at_clock
  control "frame $seq $uptime"
  control memory
  grep -sE "$memory_lines" "$@" /dev/null
  tell_gpus "$flags"
  control "end $seq"
done
leave
