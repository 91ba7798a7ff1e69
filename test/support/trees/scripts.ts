/**
 * Commands of jobs whose processes are awkward to end, as scripts for bash. $SLEEP is a program that sleeps and $DIR a folder,
 * both of this one job: whatever has that folder in its command line belongs to it, however it got away.
 */
export const trees = {
  single: 'exec "$SLEEP" 1000',
  plain: '"$SLEEP" 1000 & "$SLEEP" 1000 & wait',
  ownSession: 'setsid "$SLEEP" 1000 & wait',
  /** Its parent is gone, and it is still in the session. */
  orphan: '("$SLEEP" 1000 &); "$SLEEP" 1000 & wait',
  termIgnored: `trap '' INT TERM; "$SLEEP" 1000 & while :; do "$SLEEP" 1000; done`,
  /** Each of four forks fifty times a second, into three generations, and heeds nothing. */
  storm: `trap '' INT TERM
for _ in 1 2 3 4; do
  while :; do ( ("$SLEEP" 0.2; setsid "$SLEEP" 0.2) & "$SLEEP" 0.1 ) & "$SLEEP" 0.02; done &
done
while :; do "$SLEEP" 1000; done`,
  /** Stopped once it is what it is to be, and not still the shell that forked it. */
  stopped: `"$SLEEP" 1000 & while ! grep -q sleep "/proc/$!/comm"; do :; done; kill -STOP $!
"$SLEEP" 1000 & wait`,
  oddNames: `cp "$SLEEP" "$DIR/a) R 1 (b"; cp "$SLEEP" "$DIR/x
1 (y) S 1 1"
"$DIR/a) R 1 (b" 1000 &
"$DIR/x
1 (y) S 1 1" 1000 & wait`,
  /** In a session of its own and with no living parent: known by the marker alone. */
  daemon: '(setsid "$SLEEP" 1000 &); "$SLEEP" 1000 & wait',
  /** The same without the marker: nothing on the host tells whose it is. */
  escaped: '(env -i setsid "$SLEEP" 1000 &); "$SLEEP" 1000 & wait',
  multiplexer: 'tmux -S "$DIR/tmux" -f /dev/null new-session -d "$SLEEP" 1000; "$SLEEP" 1000 & wait',
} as const;

export type TreeName = keyof typeof trees;
