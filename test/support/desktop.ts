import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isAlive, run, startBackground, signalProcess } from './processes';

/** The oldest VS Code that the extension supports, as in package.json. */
const floor = [1, 100] as const;

/**
 * Why the `code` command cannot open the demo; null when it can. In a terminal of VS Code it may be the remote command line,
 * which opens things in that window; and without a screen it opens nothing.
 */
export async function whyNoDesktop(env: NodeJS.ProcessEnv): Promise<string | null> {
  if (env['VSCODE_IPC_HOOK_CLI'] !== undefined) return '`code` belongs to the remote window of this terminal';
  if (process.getuid?.() === 0) return 'VS Code does not run as root';
  if (process.platform === 'linux' && (env['DISPLAY'] ?? env['WAYLAND_DISPLAY']) === undefined)
    return 'there is no screen';
  const version = await run('code', ['--version'], { env, timeoutMs: 20_000 });
  if (version.code !== 0) return 'there is no `code` on the PATH';
  return isRecent(version.stdout) ? null : `\`code\` is older than ${floor.join('.')}`;
}

/** `versionOutput`: of `code --version`, the version on the first line. */
export function isRecent(versionOutput: string): boolean {
  const match = /^(\d+)\.(\d+)/.exec(versionOutput);
  if (match === null) return false;
  const [major, minor] = [Number(match[1]), Number(match[2])];
  return major > floor[0] || (major === floor[0] && minor >= floor[1]);
}

/** Opens the user's own VS Code with a profile and extensions of its own below `folder`. */
export async function openDesktop(
  folder: string,
  vsix: string,
  settings: Readonly<Record<string, unknown>>,
): Promise<{ end(): Promise<void> }> {
  const data = join(folder, 'data');
  const workspace = join(folder, 'workspace');
  mkdirSync(join(data, 'User'), { recursive: true });
  mkdirSync(workspace, { recursive: true });
  writeFileSync(join(data, 'User/settings.json'), JSON.stringify(settings, null, 2));
  const base = ['--user-data-dir', data, '--extensions-dir', join(folder, 'extensions')];
  const installed = await run('code', [...base, '--install-extension', vsix, '--force'], { timeoutMs: 120_000 });
  if (installed.code !== 0)
    throw new Error(`VS Code did not take the extension:\n${installed.stdout}${installed.stderr}`);
  const window = startBackground('code', [...base, '--new-window', '--wait', workspace]);
  return {
    async end() {
      await window.end();
      // The command only waits for the window, which is another process; the profile's lock file tells which.
      const lock = join(data, 'code.lock');
      const pid = existsSync(lock) ? Number(readFileSync(lock, 'utf8')) : 0;
      if (pid > 1 && isAlive(pid)) signalProcess(pid);
    },
  };
}
