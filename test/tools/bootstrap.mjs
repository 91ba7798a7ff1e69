/**
 * Runs a tool of the project from a fresh clone: `node bootstrap.mjs NAME ARGS…` installs the dependencies if needed, bundles
 * test/tools/NAME.ts and runs it. Stdout belongs to the tool alone; what the set-up has to say goes to stderr.
 */
import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '../..');
const [name, ...args] = process.argv.slice(2);

/** npm writes this file last, so it stands for a complete install and tells which lock file it was made from. */
const installed = join(root, 'node_modules', '.package-lock.json');

function fail(message) {
  process.stderr.write(`${message}\n`);
  process.exit(2);
}

function installDependencies() {
  const lock = statSync(join(root, 'package-lock.json')).mtimeMs;
  if (existsSync(installed) && statSync(installed).mtimeMs >= lock) return;
  process.stderr.write('Installing the dependencies (npm ci)…\n');
  const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
  // Said aloud even below `npm --silent`, which is handed on to every npm inside: silence would hide why it failed.
  const run = spawnSync(npm, ['ci', '--no-progress', '--loglevel=error'], {
    cwd: root,
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  });
  if (run.status !== 0) fail(`npm ci failed (${run.error?.message ?? `exit ${run.status}`}); its words are above.`);
}

/** A source finds the files that lie beside it, although it runs from a bundle elsewhere. */
const keepsItsFolder = {
  name: 'keeps-its-folder',
  setup(context) {
    context.onLoad({ filter: /\.ts$/ }, ({ path }) => ({
      contents: readFileSync(path, 'utf8').replaceAll('import.meta.dirname', () => JSON.stringify(dirname(path))),
      loader: 'ts',
    }));
  },
};

async function bundle(entry, outfile) {
  const { build } = createRequire(import.meta.url)('esbuild');
  mkdirSync(dirname(outfile), { recursive: true });
  // By a name of its own and a rename: two runs at once must not read each other's half-written bundle.
  const unfinished = outfile.replace(/\.mjs$/, `.${process.pid}.mjs`);
  await build({
    entryPoints: [entry],
    outfile: unfinished,
    bundle: true,
    platform: 'node',
    target: 'node20',
    format: 'esm',
    packages: 'external',
    loader: { '.sh': 'text' },
    plugins: [keepsItsFolder],
    logLevel: 'warning',
    sourcemap: 'inline',
  });
  renameSync(unfinished, outfile);
}

if (name === undefined || !/^[a-z]+$/.test(name)) fail('usage: node test/tools/bootstrap.mjs NAME [ARGUMENTS]');
const entry = join(root, 'test/tools', `${name}.ts`);
if (!existsSync(entry)) fail(`There is no tool test/tools/${name}.ts.`);

installDependencies();
const outfile = join(root, '.artifacts/tools', `${name}.mjs`);
try {
  await bundle(entry, outfile);
} catch {
  fail(`test/tools/${name}.ts does not build; the reasons are above.`);
}

const child = spawn(process.execPath, ['--enable-source-maps', outfile, ...args], { stdio: 'inherit' });
// A terminal sends Ctrl-C to the whole group, so the child has it already; the others reach only this process.
process.on('SIGINT', () => {});
for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
child.on('exit', (code, signal) => {
  if (signal === null) process.exit(code ?? 1);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
});
