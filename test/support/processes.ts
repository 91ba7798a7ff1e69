import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Finished {
  /** null when a signal ended it or it could not be started; then `stderr` says why. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly cwd?: string;
  readonly env?: NodeJS.ProcessEnv;
  readonly input?: string;
  readonly timeoutMs?: number;
  readonly uid?: number;
  readonly gid?: number;
}

/** Runs a program to its end and tells how it ended, whatever happened. Past the time limit its whole tree is ended. */
export async function run(command: string, args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  const { input, timeoutMs, ...rest } = options;
  const child = spawn(command, args, { ...rest, stdio: ['pipe', 'pipe', 'pipe'] });
  const stdout: Buffer[] = [];
  const stderr: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => stderr.push(chunk));
  // A program that does not read its input closes it early; that is its right.
  child.stdin.on('error', () => undefined);
  child.stdin.end(input ?? '');
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => void endTree(child), timeoutMs);
  const code = await new Promise<number | null>(resolve => {
    child.on('error', error => {
      stderr.push(Buffer.from(error.message));
      resolve(null);
    });
    child.on('close', resolve);
  });
  clearTimeout(timer);
  return { code, stdout: Buffer.concat(stdout).toString(), stderr: Buffer.concat(stderr).toString() };
}

/** As `run`, for a program that has to succeed; its own words are in the error. */
export async function runOrThrow(command: string, args: readonly string[], options: RunOptions = {}): Promise<string> {
  const done = await run(command, args, options);
  if (done.code === 0) return done.stdout;
  throw new Error(`${command} ${args.join(' ')} ended with ${done.code ?? 'a signal'}:\n${done.stdout}${done.stderr}`);
}

/** A long-lived program whose output is kept, for the words of an error. */
export interface Background {
  readonly child: ChildProcess;
  output(): string;
  /** Ends the program and everything it started, and waits until it is gone. */
  end(): Promise<void>;
}

export function startBackground(command: string, args: readonly string[], options: SpawnOptions = {}): Background {
  const child = spawn(command, args, { ...options, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  const keep = (chunk: Buffer): void => {
    output = (output + chunk.toString()).slice(-100_000);
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  child.on('error', error => (output += error.message));
  return { child, output: () => output, end: () => endTree(child) };
}

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly state: string;
  /** Clock ticks since boot; with the pid, this names a process for good. */
  readonly startTime: string;
}

function statOf(pid: number): Stat | null {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8');
    // The command stands in parentheses and may hold anything, parentheses too: count from the last one.
    const fields = text.slice(text.lastIndexOf(')') + 2).split(' ');
    return { pid, state: fields[0] ?? '', parent: Number(fields[1]), startTime: fields[19] ?? '' };
  } catch {
    return null;
  }
}

export function isAlive(pid: number): boolean {
  if (process.platform === 'linux') {
    const stat = statOf(pid);
    return stat !== null && stat.state !== 'Z';
  }
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

function processIds(): readonly number[] {
  if (process.platform !== 'linux') return [];
  return readdirSync('/proc').flatMap(name => (/^\d+$/.test(name) ? Number(name) : []));
}

/** The processes below `pid`, itself first. */
export function treeOf(pid: number): readonly Stat[] {
  const first = statOf(pid);
  if (first === null) return [];
  const all = processIds().flatMap(id => statOf(id) ?? []);
  const tree = [first];
  for (const member of tree) tree.push(...all.filter(stat => stat.parent === member.pid));
  return tree;
}

/**
 * Signals one process that the test has started. 0 and less mean groups of processes, the test run itself among them, and are
 * what an empty file becomes when it is read as a number.
 *
 * @throws when `pid` names no single process, or the process is gone
 */
export function signalProcess(pid: number, signal: NodeJS.Signals = 'SIGTERM'): void {
  if (!Number.isInteger(pid) || pid < 2) throw new Error(`${pid} is no process that a test may signal`);
  process.kill(pid, signal);
}

/** Ends a child and everything below it, by pid: asks first, and after two seconds insists. */
export async function endTree(child: ChildProcess): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const tree = treeOf(pid);
  // Where there is no /proc only the child itself is known.
  if (tree.length === 0) child.kill('SIGKILL');
  await endAll(tree);
  if (child.exitCode === null && child.signalCode === null) {
    await new Promise(resolve => child.once('exit', resolve));
  }
}

/** Ends whatever this process started and has not ended yet. */
export function endDescendants(): Promise<void> {
  return endAll(treeOf(process.pid).slice(1));
}

/**
 * Ends every process that was given this variable, whoever its parent is by now: jobs outlive the connection that launched
 * them. `entry` is `NAME=value`, with a value that nobody else has. Does nothing where there is no /proc.
 */
export async function endAllWith(entry: string): Promise<void> {
  for (;;) {
    const members = processIds().flatMap(pid => (environmentOf(pid).includes(entry) ? (statOf(pid) ?? []) : []));
    const living = members.filter(isStill);
    if (living.length === 0) return;
    await endAll(living);
  }
}

function environmentOf(pid: number): readonly string[] {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0');
  } catch {
    // Gone in between, or somebody else's.
    return [];
  }
}

async function endAll(members: readonly Stat[]): Promise<void> {
  signalAll(members, 'SIGTERM');
  const deadline = Date.now() + 2_000;
  while (Date.now() < deadline && members.some(isStill)) await sleep(20);
  signalAll(members.filter(isStill), 'SIGKILL');
}

function isStill(stat: Stat): boolean {
  const now = statOf(stat.pid);
  return now?.startTime === stat.startTime && now.state !== 'Z';
}

function signalAll(tree: readonly Stat[], signal: NodeJS.Signals): void {
  for (const stat of tree) {
    try {
      if (isStill(stat)) signalProcess(stat.pid, signal);
    } catch {
      // Gone in between.
    }
  }
}

/** Waits until `condition` gives something; the error names what was waited for and the last reason against it. */
export async function until<T>(
  what: string,
  condition: () => T | undefined | false | null | Promise<T | undefined | false | null>,
  timeoutMs = 20_000,
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
  for (;;) {
    let reason = '';
    try {
      const value = await condition();
      if (value !== undefined && value !== false && value !== null) return value;
    } catch (error) {
      reason = `: ${String(error)}`;
    }
    if (Date.now() > deadline) throw new Error(`Waited ${timeoutMs} ms in vain until ${what}${reason}`);
    await sleep(50);
  }
}

/** A port of 127.0.0.1 that nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise(resolve => server.close(resolve));
  return port;
}
