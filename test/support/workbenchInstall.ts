import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { root } from './paths';
import { run, runOrThrow } from './processes';

const lockFolder = join(root, 'test/e2e/workbench');

/** Where a complete VS Code lies and how it is started. */
export interface WorkbenchInstall {
  readonly folder: string;
  /** The Node 24 that it needs. */
  readonly node: string;
  readonly entry: string;
}

function installAt(folder: string): WorkbenchInstall {
  return {
    folder,
    node: join(folder, `node_modules/node-linux-${process.arch}/bin/node`),
    entry: join(folder, 'node_modules/code-server/out/node/entry.js'),
  };
}

/** What a complete install was made from; an interrupted one has no such file and is made anew. */
function fingerprint(): string {
  const hash = createHash('sha256').update(`recipe 1 ${process.arch}`);
  for (const name of ['package.json', 'package-lock.json']) hash.update(readFileSync(join(lockFolder, name)));
  return hash.digest('hex');
}

function isComplete(folder: string): boolean {
  const marker = join(folder, 'complete');
  return existsSync(marker) && readFileSync(marker, 'utf8') === fingerprint();
}

/** Installs VS Code (code-server) and its Node into .workbench/, from npm alone; at once when it is already there. */
export async function installWorkbench(): Promise<WorkbenchInstall> {
  const folder = join(root, '.workbench');
  if (isComplete(folder)) return installAt(folder);
  if (process.platform !== 'linux')
    throw new Error('The browser workbench runs on Linux only; install VS Code instead.');
  process.stderr.write('Installing VS Code for the browser into .workbench/ (about 600 MiB)…\n');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  for (const name of ['package.json', 'package-lock.json']) copyFileSync(join(lockFolder, name), join(folder, name));

  // Scripts of packages stay off: code-server's own fails on Node 20. The three native parts it needs are built below.
  const npm = (cwd: string, env: NodeJS.ProcessEnv, ...args: string[]): Promise<string> =>
    runOrThrow('npm', [...args, '--no-audit', '--no-fund', '--no-progress'], { cwd, env });
  await npm(folder, process.env, 'ci', '--ignore-scripts');
  const install = installAt(folder);
  if (!existsSync(install.node))
    throw new Error(`There is no Node 24 package for ${process.platform} ${process.arch}.`);
  const nodeFolder = dirname(dirname(install.node));
  const env = {
    ...process.env,
    PATH: `${nodeFolder}/bin:${process.env['PATH'] ?? ''}`,
    npm_config_nodedir: nodeFolder,
  };
  const vscode = join(folder, 'node_modules/code-server/lib/vscode');
  await npm(vscode, env, 'install', '--omit=dev', '--ignore-scripts');
  await npm(
    vscode,
    env,
    ...['rebuild', '@vscode/spdlog', 'node-pty', '@vscode/native-watchdog', '--ignore-scripts=false'],
    '--foreground-scripts=false',
  );
  await npm(join(vscode, 'extensions'), env, 'install', '--omit=dev', '--ignore-scripts');
  for (const part of ['node_modules/@github', 'node_modules/@devcontainers', 'extensions/copilot']) {
    rmSync(join(vscode, part), { recursive: true, force: true });
  }
  removeForeignBinaries(join(vscode, 'node_modules/@vscode/ripgrep-universal/bin'));
  writeFileSync(join(folder, 'complete'), fingerprint());
  return install;
}

function removeForeignBinaries(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name !== `linux-${process.arch}`) rmSync(join(folder, name), { recursive: true });
  }
}

/**
 * The same install where an ordinary user can read it. A clone often lies in a home that others may not enter; then a copy
 * outside is used, made of hard links where the file system allows.
 */
export async function installForOthers(install: WorkbenchInstall): Promise<WorkbenchInstall> {
  if (isOpenToOthers(install.entry)) return install;
  const folder = `/var/tmp/headroom-workbench-${fingerprint().slice(0, 16)}`;
  const copy = installAt(folder);
  // Anybody may make a folder of that name there; only one of ours is used.
  if (isComplete(folder) && statSync(folder).uid === process.getuid?.()) return copy;
  rmSync(folder, { recursive: true, force: true });
  const linked = await run('cp', ['-al', install.folder, folder]);
  if (linked.code !== 0) {
    rmSync(folder, { recursive: true, force: true });
    await runOrThrow('cp', ['-a', install.folder, folder]);
  }
  return copy;
}

/** Whether every folder on the way can be entered, and the file read, by anybody. */
function isOpenToOthers(file: string): boolean {
  if ((statSync(file).mode & 0o004) === 0) return false;
  for (let folder = dirname(file); ; folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
    if (folder === dirname(folder)) return true;
  }
}
