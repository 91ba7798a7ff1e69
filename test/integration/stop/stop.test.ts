import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { stopAttempt, type StopOptions, type StopProgress, type StopResult } from '../../../src/control/stopAttempt';
import type { Signal } from '../../../src/core/job/process/signalling';
import processes from '../../../src/hosts/scripts/processes.sh';
import signal from '../../../src/hosts/scripts/signal.sh';
import { stoppingScripts } from '../../../src/hosts/stoppingScript';
import { isAlive, runOrThrow, treeOf, until } from '../../support/processes';
import { startSshd } from '../../support/sshd';
import { ensureSystemPackages } from '../../support/systemPackages';
import { trees, type TreeName } from '../../support/trees/scripts';
import { startNeighbour, startTree, type Tree } from '../../support/trees/tree';
import { ensureTestUser, type TestUser } from '../../support/users';
import { createRig, makeKey } from '../ssh/rig';
import { clock, localHost, type LocalHost } from './localHost';

let alice: TestUser;
let bob: TestUser;
let tree: Tree;
let neighbours: readonly ReturnType<typeof startNeighbour>[];

beforeAll(async () => {
  await ensureSystemPackages({ tmux: '/usr/bin/tmux', busybox: '/bin/busybox', dash: '/bin/dash', bash: '/bin/bash' });
  alice = await ensureTestUser('hr-alice');
  bob = await ensureTestUser('hr-bob');
});

beforeEach(() => {
  neighbours = [startNeighbour(alice), startNeighbour(bob)];
});

afterEach(async () => {
  const untouched = neighbours.map(neighbour => neighbour.isUntouched());
  neighbours.forEach(neighbour => neighbour.end());
  await tree.dispose();
  expect(untouched).toEqual([true, true]);
});

async function start(name: TreeName): Promise<Tree> {
  tree = await startTree(alice, trees[name]);
  return tree;
}

interface Stopped {
  readonly result: StopResult;
  readonly progress: readonly StopProgress[];
  readonly host: LocalHost;
}

async function stop(shell: string, extra: Partial<StopOptions> = {}): Promise<Stopped> {
  const host = localHost(shell, alice);
  const progress: StopProgress[] = [];
  const result = await stopAttempt({
    host: 'box',
    connection: host,
    clock,
    attempt: tree.attempt,
    scripts: { processes, signal, ...stoppingScripts(tree.folder, "alice's laptop", 'relaunch\nat 16')! },
    graceMs: 700,
    consent: null,
    onProgress: step => progress.push(step),
    ...extra,
  });
  return { result, progress, host };
}

/** The supervisor ends by itself once the command has. */
const nothingIsLeft = (): Promise<unknown> =>
  until('nothing of the job lives', () => tree.living().length === 0, 3_000);

describe.each(['dash', 'busybox sh', 'bash'])('stopping by %s', shell => {
  it.each<[TreeName, number, Signal]>([
    ['single', 0, 'INT'],
    // What a script starts in the background ignores INT.
    ['plain', 2, 'TERM'],
    ['ownSession', 1, 'TERM'],
    ['orphan', 2, 'TERM'],
    ['stopped', 2, 'TERM'],
    ['oddNames', 2, 'TERM'],
    ['termIgnored', 2, 'KILL'],
  ])('leaves nothing of a job: %s', async (name, sleepers, by) => {
    await start(name);
    await tree.sleepers(sleepers);
    const startedMs = performance.now();
    const { result, progress, host } = await stop(shell);
    const tookMs = performance.now() - startedMs;
    expect(result).toMatchObject({ kind: 'stopped', by, announced: true, left: [] });
    await nothingIsLeft();
    console.log(
      `${shell}, ${name}: ${tookMs.toFixed(0)} ms, ${host.tookMs.length} scripts of ${Math.max(...host.tookMs).toFixed(0)} ms at most; ` +
        progress.map(step => (step.kind === 'asked' ? step.signal : step.kind)).join(' '),
    );
  });

  it('freezes and kills what forks faster than it can be counted', async () => {
    await start('storm');
    await tree.sleepers(30);
    const { result, progress } = await stop(shell, { graceMs: 300 });
    // What had left session and parents before it could be counted is told, and stopped with consent.
    const marked = result.kind === 'needsConsent' ? result.marked.map(({ process }) => process) : [];
    const final = await stop(shell, { consent: { agreed: marked, declined: [] } });
    expect(final.result).toMatchObject({ kind: 'stopped' });
    expect(progress.some(step => step.kind === 'killing')).toBe(true);
    await nothingIsLeft();
  });

  it('asks about a daemon that only the marker tells, and ends it with consent', async () => {
    await start('daemon');
    await tree.sleepers(2);
    const { result } = await stop(shell);
    if (result.kind !== 'needsConsent') throw new Error(JSON.stringify(result));
    const left = tree.living();
    expect(result.marked).toEqual([{ process: expect.objectContaining({ comm: 'sleep' }) as unknown, proposed: true }]);
    expect(left.map(({ pid }) => pid)).toEqual(result.marked.map(({ process }) => process.pid));
    const agreed = result.marked.map(({ process }) => process);
    expect((await stop(shell, { consent: { agreed: [], declined: agreed } })).result).toMatchObject({ left: [] });
    expect(tree.living()).toHaveLength(1);
    expect((await stop(shell, { consent: { agreed, declined: [] } })).result).toMatchObject({
      kind: 'stopped',
      left: [],
    });
    await nothingIsLeft();
  });

  it('cannot know of a process that has shed session, parents and marker: the documented gap', async () => {
    await start('escaped');
    await tree.sleepers(2);
    const { result } = await stop(shell);
    expect(result).toMatchObject({ kind: 'stopped', left: [] });
    expect(tree.living()).toHaveLength(1);
  });

  it('never touches a shell that was opened in a tmux server which the job had started', async () => {
    await start('multiplexer');
    await tree.sleepers(1);
    const socket = join(tree.folder, 'tmux');
    await until('tmux listens', () => existsSync(socket));
    const tmux = [
      'tmux',
      '-S',
      socket,
      'new-window',
      '-d',
      '-P',
      '-F',
      '#{pane_pid}',
      `exec '${tree.folder}/sleep' 2000`,
    ];
    const pane = Number(await runOrThrow('setpriv', [...asAlice(), ...tmux], { env: { PATH: process.env['PATH'] } }));
    await until('the shell carries the marker', () =>
      environment(pane).includes(`HEADROOM_ATTEMPT=${tree.attempt.id}\0`),
    );
    const { result } = await stop(shell);
    if (result.kind !== 'needsConsent') throw new Error(JSON.stringify(result));
    expect(result.marked.every(({ proposed }) => !proposed)).toBe(true);
    const listed = result.marked.map(({ process }) => process);
    expect(listed.map(({ pid }) => pid)).toContain(pane);
    expect(listed.map(({ comm }) => comm)).toContain('tmux: server');
    await stop(shell, { consent: { agreed: [], declined: listed } });
    expect(isAlive(pane)).toBe(true);
    expect(environment(pane)).toContain('HEADROOM_ATTEMPT');
  });

  it('kills at once when the user does not want to wait', async () => {
    await start('termIgnored');
    await tree.sleepers(2);
    const force = new AbortController();
    const onProgress = (step: StopProgress): void => {
      if (step.kind === 'asked') force.abort();
    };
    const startedMs = performance.now();
    const { result } = await stop(shell, { graceMs: 60_000, forceNow: force.signal, onProgress });
    expect(result).toMatchObject({ kind: 'stopped', by: 'KILL' });
    expect(performance.now() - startedMs).toBeLessThan(10_000);
    await nothingIsLeft();
  });
});

it('goes no further when it is cancelled, lets go on what it froze, and takes back what it announced', async () => {
  await start('termIgnored');
  await tree.sleepers(2);
  const cancel = new AbortController();
  const onProgress = (step: StopProgress): void => {
    if (step.kind === 'killing') cancel.abort();
  };
  const before = tree.living().map(({ pid }) => pid);
  const force = new AbortController();
  force.abort();
  const { result } = await stop('dash', { onProgress, signal: cancel.signal, forceNow: force.signal });
  expect(result).toEqual({ kind: 'cancelled', by: 'STOP' });
  expect(tree.living().map(({ pid }) => pid)).toEqual(before);
  expect(treeOf(tree.attempt.started!.command.pid).map(({ state }) => state)).not.toContain('T');
  expect(existsSync(join(tree.folder, 'stopping'))).toBe(false);
});

it('assumes nothing when the link breaks', async () => {
  await start('termIgnored');
  await tree.sleepers(2);
  const host = localHost('dash', alice);
  const onProgress = (step: StopProgress): void => {
    if (step.kind === 'asked') host.breakLink();
  };
  const { result } = await stop('dash', { connection: host, onProgress });
  expect(result).toMatchObject({ kind: 'lost', by: 'INT', failure: { kind: 'lost' } });
});

it('tells the folder of the attempt who stopped it, before the first signal', async () => {
  await start('plain');
  await tree.sleepers(2);
  const file = join(tree.folder, 'stopping');
  const seen: string[] = [];
  const onProgress = (step: StopProgress): void => {
    if (step.kind === 'asked') seen.push(readFileSync(file, 'utf8'));
  };
  await stop('dash', { onProgress });
  expect(seen[0]).toMatch(/^format=1\nat=\d+\nby=alice's laptop\nreason=relaunch at 16\n$/);
});

it('stops a job over SSH', async () => {
  const keys = mkdtempSync(join(tmpdir(), 'hr-keys-'));
  const key = await makeKey(join(keys, 'id'));
  const sshd = await startSshd({ authorizedKeys: { 'hr-alice': [key] } });
  const config = [`IdentityFile ${join(keys, 'id')}`, 'StrictHostKeyChecking accept-new'];
  const rig = await createRig({ port: sshd.port, user: 'hr-alice', config });
  try {
    await start('termIgnored');
    await tree.sleepers(2);
    const startedMs = performance.now();
    const { result, progress } = await stop('', { connection: await rig.connected() });
    expect(result).toMatchObject({ kind: 'stopped', by: 'KILL', announced: true, left: [] });
    await nothingIsLeft();
    console.log(`over SSH: ${(performance.now() - startedMs).toFixed(0)} ms, ${progress.length} looks`);
  } finally {
    rig.dispose();
    await sshd.dispose();
    rmSync(keys, { recursive: true, force: true });
  }
});

const asAlice = (): readonly string[] => [`--reuid=${alice.uid}`, `--regid=${alice.gid}`, '--clear-groups'];
const environment = (pid: number): string => readFileSync(`/proc/${pid}/environ`, 'utf8');
