/**
 * `npm test`: sets up what the tests need and runs everything; `npm test -- unit e2e` runs only the stages named. A failure
 * stops nothing. The last line is `N passed, N failed`.
 */
import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { glob } from 'tinyglobby';
import { artifacts, root } from '../support/paths';
import { endTree, run } from '../support/processes';
import { ensureSystemPackages, testPackages } from '../support/systemPackages';
import { installWorkbench } from '../support/workbenchInstall';
import { packExtension } from './vsix';

interface Count {
  readonly passed: number;
  readonly failed: number;
}

type Stage = () => Promise<Count>;

/** No stage comes near this unless something hangs. */
const stageLimitMs = 10 * 60_000;

const bin = (name: string): string => join(root, 'node_modules/.bin', name);

/** One check of the sources: one test. Its output is shown only when it fails. */
async function check(...commands: readonly (readonly string[])[]): Promise<Count> {
  const done = await Promise.all(
    commands.map(([program, ...args]) => run(program!, args, { cwd: root, timeoutMs: stageLimitMs })),
  );
  const bad = done.filter(result => result.code !== 0);
  for (const result of bad) console.log(result.stdout + result.stderr);
  return bad.length === 0 ? { passed: 1, failed: 0 } : { passed: 0, failed: 1 };
}

async function shellcheck(): Promise<Count> {
  // What runs on hosts is POSIX sh, whatever shell is at hand there; a helper of the tests says itself what it is.
  const host = await glob('src/**/*.sh', { cwd: root });
  const helpers = (await glob(['test/**/*.sh', 'test/**/nvidia-smi'], { cwd: root })).filter(file =>
    /^#!.*\bsh\b/.test(readFileSync(join(root, file), 'utf8')),
  );
  return check(['shellcheck', '-s', 'sh', ...host], ...(helpers.length === 0 ? [] : [['shellcheck', ...helpers]]));
}

/** Runs one project of vitest.config.ts and counts its tests. A test that was skipped counts as failed: nothing is left out in silence. */
async function vitest(project: string): Promise<Count> {
  const report = join(artifacts, 'tests', `${project}.json`);
  mkdirSync(join(artifacts, 'tests'), { recursive: true });
  rmSync(report, { force: true });
  const child = spawn(
    bin('vitest'),
    ['run', '--project', project, '--reporter=default', '--reporter=json', `--outputFile.json=${report}`],
    { cwd: root, stdio: 'inherit', env: { ...process.env, VITE_CONFIG_NATIVE_IGNORE_WARNING: 'true' } },
  );
  const timer = setTimeout(() => void endTree(child), stageLimitMs);
  const code = await new Promise<number | null>(resolve => child.on('close', resolve));
  clearTimeout(timer);
  try {
    const { numTotalTests, numPassedTests } = JSON.parse(readFileSync(report, 'utf8')) as Record<string, number>;
    const failed = numTotalTests! - numPassedTests!;
    // A file that does not load, or an error outside every test, fails the run and no test.
    return { passed: numPassedTests!, failed: code !== 0 && failed === 0 ? 1 : failed };
  } catch {
    return { passed: 0, failed: 1 };
  }
}

/** A step of the set-up that is a test too: it passes when it does not throw. */
async function step(work: () => Promise<unknown>): Promise<Count> {
  try {
    await work();
    return { passed: 1, failed: 0 };
  } catch (error) {
    console.log(error instanceof Error ? error.message : error);
    return { passed: 0, failed: 1 };
  }
}

const stages: Readonly<Record<string, Stage>> = {
  types: () => check([bin('tsc'), '--noEmit'], [bin('tsc'), '--noEmit', '-p', 'src/core/tsconfig.json']),
  lint: () => check([bin('eslint'), '.'], [bin('prettier'), '--check', '--log-level', 'warn', '.']),
  shellcheck,
  unit: () => vitest('unit'),
  contract: () => vitest('contract'),
  integration: () => vitest('integration'),
  package: () => step(packExtension),
  workbench: () => step(() => workbench),
  e2e: () => vitest('e2e'),
};

const chosen = process.argv.slice(2);
const unknown = chosen.filter(name => !(name in stages));
if (unknown.length > 0) {
  console.error(`There is no stage ${unknown.join(', ')}. Stages: ${Object.keys(stages).join(', ')}.`);
  process.exit(2);
}
const wanted = new Set(chosen.length === 0 ? Object.keys(stages) : chosen);
// The end-to-end tests are worth nothing against yesterday's package.
if (wanted.has('e2e')) wanted.add('package').add('workbench');

const setUp = await step(() => ensureSystemPackages(testPackages));
// Fetching VS Code takes a minute of waiting for the network: it goes on beside the first stages. A failure is told by its stage.
const workbench = setUp.failed === 0 && wanted.has('workbench') ? installWorkbench() : Promise.resolve(null);
workbench.catch(() => undefined);

const total = { passed: 0, failed: setUp.failed };
const rows: string[] = [];
for (const [name, stage] of Object.entries(stages)) {
  if (!wanted.has(name) || setUp.failed > 0) continue;
  console.log(`\n── ${name}`);
  const startedMs = performance.now();
  const { passed, failed } = await stage();
  total.passed += passed;
  total.failed += failed;
  const seconds = ((performance.now() - startedMs) / 1000).toFixed(1);
  rows.push(`${failed === 0 ? ' ok ' : 'FAIL'}  ${name.padEnd(12)} ${passed} passed, ${failed} failed, ${seconds} s`);
}
console.log(`\n${rows.join('\n')}\n`);
console.log(`${total.passed} passed, ${total.failed} failed`);
process.exitCode = total.failed > 0 ? 1 : 0;
