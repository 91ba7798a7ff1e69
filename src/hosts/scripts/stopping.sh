# Says in an attempt's folder that it is being stopped, before the first signal is sent, so that its end is not taken for
# one of its own; or, with $HEADROOM_STOP=withdraw, that it is not after all. What sends this script sets before it
# $HEADROOM_DIR, the folder, and $HEADROOM_BY and $HEADROOM_REASON, one line each. Who said so first is who stopped it.
# Exit code 0: it stands there, or is gone. Nothing is written into a folder that is not there.
exec 2>/dev/null
LC_ALL=C
export LC_ALL
set +Cefu
umask 077

said=$HEADROOM_DIR/stopping
if [ "$HEADROOM_STOP" = withdraw ]; then
  rm -f "$said"
  exit
fi
[ ! -e "$said" ] || exit 0
# Complete under another name first: a reader sees all of it or nothing.
new=$said.new.$$
printf '%s\n' format=1 "at=$(date +%s)" "by=$HEADROOM_BY" "reason=$HEADROOM_REASON" >"$new" && mv -f "$new" "$said" && exit 0
rm -f "$new"
exit 1
