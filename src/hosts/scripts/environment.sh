# Tells the environment of the user's login shell, as an interactive session has it: what conda and people put into their
# start-up files often stands behind "if not interactive, return". What runs it assigns $NONCE and, where they are wanted,
# $ENV_FILE, a file of variables, and $LIMIT, seconds. src/core/job/environment/loginEnvironment.ts reads what it prints; start-up files
# may print what they like between.
#
#   ␞NONCE-environment␞  NAME=value, each ended by NUL  ␞NONCE-end␞
#   ␞NONCE shell PATH␞               the login shell
#   ␞NONCE failed WAY CODE␞          interactive or login did not get to its end; 137: the time was over
#   ␞NONCE way WAY␞                  interactive, login or bare: where the environment is from
#   ␞NONCE file␞ the file of variables ␞NONCE-end␞, or ␞NONCE no file␞

# Start-up files complain that there is no terminal.
exec 2>/dev/null
unset TMOUT
set +Cefu

mark() { printf '\036%s %s\036\n' "$NONCE" "$1"; }

# As passwd has it; $SHELL where there is no passwd to ask.
find_shell() {
  user=$(id -u)
  entry=$(getent passwd "$user") || entry=$(grep "^[^:]*:[^:]*:$user:" /etc/passwd | head -n 1)
  shell=${entry##*:}
  [ -x "$shell" ] || shell=${SHELL:-/bin/sh}
}

# Sets $tool to the path of a program: start-up files give names like cat other meanings.
find_tool() {
  for place in /usr/bin /bin /run/current-system/sw/bin; do
    tool=$place/$1
    [ -x "$tool" ] && return
  done
  tool=$(command -v "$1")
}

# Runs a command for at most $1 seconds with nothing to read, in a session of its own, so that all of it can be ended. Start-up
# files begin a terminal multiplexer for every new terminal, unless they are told that they are in one. Sets $code.
limited() {
  seconds=$1
  shift
  TMUX=headroom STY=headroom TERM=dumb $setsid "$@" </dev/null &
  runner=$!
  $setsid sh -c "sleep $seconds; kill -KILL ${setsid:+-}$runner" >/dev/null &
  watchdog=$!
  wait "$runner"
  code=$?
  # Its group; before it has one, the process itself.
  kill -TERM "-$watchdog" || kill "$watchdog"
  wait "$watchdog"
}

# $1 is the way; then its seconds and the command.
try() {
  way=$1
  shift
  limited "$@"
  [ "$code" = "$reached" ] && return
  mark "failed $way $code"
  return 1
}

# -l must stand alone for csh and tcsh, so the files of a login are read by hand.
capture() {
  case ${shell##*/} in
  *csh)
    files='if ( -r /etc/csh.login ) source /etc/csh.login; if ( -r ~/.login ) source ~/.login'
    try interactive "$limit" "$shell" -i -c "$files; $dump" && return
    try login "$((limit / 2))" "$shell" -c "$dump" && return
    ;;
  *)
    try interactive "$limit" "$shell" -l -i -c "$dump" && return
    try login "$((limit / 2))" "$shell" -l -c "$dump" && return
    ;;
  esac
  way=bare
  printf '\036%s-environment\036\n' "$NONCE"
  "$tool" /proc/self/environ
  printf '\036%s-end\036\n' "$NONCE"
}

tell_file() {
  [ -n "${ENV_FILE:-}" ] || return 0
  # shellcheck disable=SC2088 # as the user wrote it
  case $ENV_FILE in
  '~/'*) ENV_FILE=$HOME/${ENV_FILE#??} ;;
  esac
  if [ -f "$ENV_FILE" ] && [ -r "$ENV_FILE" ]; then
    mark file
    head -c 1048576 "$ENV_FILE"
    printf '\036%s-end\036\n' "$NONCE"
  else
    mark 'no file'
  fi
}

# Together under the 20 seconds that a launch may wait.
limit=${LIMIT:-13}
setsid=$(command -v setsid)
find_shell
mark "shell $shell"

# What every shell reads alike: no quotes, no variables. /proc/self/environ is what a program is given, with all of its names,
# some of which sh would drop. A code that nothing else ends with says that the shell came so far.
reached=86
find_tool printf
dump="$tool \\\\036$NONCE-environment\\\\036\\\\n"
end="$tool \\\\036$NONCE-end\\\\036\\\\n"
find_tool cat
dump="$dump; $tool /proc/self/environ; $end; exit $reached"

capture
mark "way $way"
tell_file
