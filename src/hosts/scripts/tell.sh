# Which of several windows tells the user how attempts ended, and that they were told. What sends this script sets $HEADROOM_TELL
# before it, and the folders of the attempts as arguments. src/core/job/directory/telling.ts reads what it prints; N counts the
# arguments from 1.
#
#   claim   claimed N     to be told by who asked. Another window is told so only when it was not done within two minutes
#           N:LINE        the last lines of that attempt's log
#   told    written N
exec 2>/dev/null
LC_ALL=C
export LC_ALL
unset CDPATH
set +aefu
umask 077

# Only one of those who ask at the same time makes the file, for noclobber opens it with O_EXCL. It stays for good: taken away
# when all is told, it could be made again by somebody who had looked for `told` just before that was there.
claim() {
  [ ! -e told ] || return
  [ -z "$(find telling -mmin +1)" ] || rm -f telling
  (set -C && true >telling) && [ ! -e told ] || return
  printf '%s\n' "claimed $number"
  tail -c 4096 log | tr '\r' '\n' | tail -n 20 | sed "s/^/$number:/"
}

write_told() {
  new=told.new.$$
  printf '%s\n' format=1 "at=$(date +%s)" >"$new" && mv -f "$new" told && printf '%s\n' "written $number"
}

number=0
for folder; do
  number=$((number + 1))
  cd "$folder" || continue
  case $HEADROOM_TELL in
  claim) claim ;;
  told) write_told ;;
  esac
done
