import { existsSync } from 'node:fs';
import { run, runOrThrow } from './processes';

/** Debian package → a file that it brings. */
export const testPackages: Readonly<Record<string, string>> = {
  'openssh-server': '/usr/sbin/sshd',
  'openssh-client': '/usr/bin/ssh',
  chromium: '/usr/bin/chromium',
  shellcheck: '/usr/bin/shellcheck',
  busybox: '/bin/busybox',
  dash: '/bin/dash',
  bash: '/bin/bash',
  zsh: '/bin/zsh',
  fish: '/usr/bin/fish',
  tcsh: '/bin/tcsh',
  tmux: '/usr/bin/tmux',
};

/**
 * Sees to it that the packages are there: installs what is missing when this is root on Debian, otherwise fails and names
 * exactly what to install.
 */
export async function ensureSystemPackages(packages: Readonly<Record<string, string>>): Promise<void> {
  const missing = Object.keys(packages).filter(name => !existsSync(packages[name] ?? ''));
  if (missing.length === 0) return;
  const names = missing.join(' ');
  if (process.getuid?.() !== 0 || !existsSync('/usr/bin/apt-get')) {
    throw new Error(`Missing system packages. On Debian, as root: apt-get install ${names}`);
  }
  process.stderr.write(`Installing the system packages ${names}…\n`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  // Lists that are hours old still install most of the time, so a failed update decides nothing.
  await run('apt-get', ['update', '-q'], { env });
  await runOrThrow('apt-get', ['install', '-y', '-q', '--no-install-recommends', ...missing], { env });
}
