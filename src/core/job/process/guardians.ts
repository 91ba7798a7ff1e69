/**
 * Programs that keep other people's work going: what runs below one of them need not belong to whoever started it. Such a
 * program carries the marker of a job that happened to start it, and so does every shell opened in it later.
 */
export type Guardian = 'multiplexer' | 'sessionManager' | 'scheduler' | 'login';

/** Names as the kernel keeps them: cut at 15 characters, and of a service its title's first word. */
const patterns: readonly (readonly [Guardian, RegExp])[] = [
  // A client of tmux ends without harm: what is open in tmux lives in its server.
  ['multiplexer', /^(tmux|tmux: server|screen|SCREEN|zellij|dtach|abduco|dvtm|mosh-server)$/],
  ['sessionManager', /^(systemd|\(sd-pam\)|elogind)|^dbus-/],
  ['scheduler', /^(slurm|pbs_|sge_|condor_)|^(sbatchd|flux-broker|cron|crond|atd)$/],
  // Since OpenSSH 9.8 a login is served by sshd-session.
  ['login', /^(sshd|dropbear)/],
];

/** What a process keeps, judged by its name. Anybody can take such a name: it only ever spares a process. */
export function guardianOf(comm: string): Guardian | null {
  return patterns.find(([, pattern]) => pattern.test(comm))?.[0] ?? null;
}
