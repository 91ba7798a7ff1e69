import { chownSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { Job } from '../../../src/core/job/job';
import { jobsTree } from '../../../src/core/present/jobsTree';
import { recordsAsJson } from '../../../src/core/present/records';
import { statusBar } from '../../../src/core/present/statusBar';
import { signalProcess, until } from '../../support/processes';
import { markedPids, supervisorPids } from '../job/rig';
import { box, plainJob, startJobHost, untilFile, type JobHost } from './rig';

let host: JobHost;

beforeAll(async () => {
  host = await startJobHost();
});

afterEach(() => host.clear());

afterAll(() => host.dispose());

const go = (name: string): string => join(host.work, name);

/** The folder of all attempts, once there is one. */
const jobsFolder = (): string => {
  const folder = join(host.state, 'headroom');
  return join(folder, readdirSync(folder)[0]!, 'jobs');
};

it('the memory of a job is that of its own processes on the GPUs, and nobody else’s', async () => {
  const window = await host.window();
  await window.connect();
  const id = await window.launched({ run: `sleep 1000; true` });
  const mine = await until('it runs', () => markedPids(id).at(-1));
  const neighbour = await host.box.startNeighbour({ gpu: 1, mib: 71_200, uid: 65_534 });
  try {
    host.box.setProcess({ gpu: 0, pid: mine, name: '/usr/bin/python3', mib: 40_755, util: 98, watts: 390 });
    const one = await window.attemptWhen('its memory is known', id, ({ gpu }) => gpu !== null);
    expect(one.gpu?.peak).toEqual({ bytes: 40_755 * 2 ** 20, kind: 'sampled' });
    expect(one.gpu?.cards).toEqual([window.host().watch?.gpu.reading?.gpus[0]?.uuid]);
    const bar = statusBar(window.fleet.store.state, Date.now());
    expect(bar?.text).toMatch(/^drafter \d+ W · 39\.8\/95\.6 GiB$/);
    // Another job now meets this one.
    const prepared = await window.jobs.prepare({ ...plain(), gpus: { kind: 'all' } });
    expect(prepared).toMatchObject({
      launch: { gpus: { question: { kind: 'shared', gpus: [{ index: 0, attempts: [{ id, job: 'drafter' }] }] } } },
    });
  } finally {
    host.box.removeProcess(mine);
    await neighbour.stop();
  }
});

const plain = (): Job => ({ ...plainJob, name: 'other', cwd: host.work });

it('a launch whose link is cut goes on over the next one, and starts one process', async () => {
  const window = await host.window();
  await window.connect();
  const prepared = await window.jobs.prepare({
    ...plain(),
    run: `echo $$ >>${go('pids')}; ${untilFile(go('cut'))}`,
  });
  if (prepared.kind === 'failed') throw new Error(prepared.failure.message);
  const choices = { number: null, gpus: null, parent: null, source: null };
  const launching = window.jobs.launch(prepared.launch, choices);
  // Not by `until`, which looks so seldom that all would be over.
  for (const deadline = Date.now() + 10_000; !existsSync(join(host.state, 'headroom')) && Date.now() < deadline;)
    await new Promise(setImmediate);
  host.sshd.killSessions();
  await until('the link is lost', () => window.host().connection.kind === 'waiting', 10_000);
  await window.fleet.connect(box, null);
  const outcome = await launching;
  expect(outcome.kind).toBe('launched');
  if (outcome.kind !== 'launched') return;
  const { id } = outcome.attempt;
  host.track(id);
  await until('it runs', () => existsSync(go('pids')));
  expect(readdirSync(jobsFolder())).toEqual([id]);
  expect(supervisorPids(id)).toHaveLength(1);
  writeFileSync(go('cut'), '');
  await until('its end is told', () => window.endings.length === 1, 10_000);
  expect(readFileSync(go('pids'), 'utf8').trim().split('\n')).toHaveLength(1);
});

it('an attempt that another window launches appears, and one whose supervisor is killed is told as lost', async () => {
  const [one, other] = [await host.window(), await host.window()];
  await Promise.all([one.connect(), other.connect()]);
  const id = await one.launched({ run: 'sleep 1000' });
  await other.jobs.refresh(box.id);
  expect(other.attempt(id)?.attempt.status.kind).toBe('running');
  one.close();
  for (const pid of [...supervisorPids(id), ...markedPids(id)]) signalProcess(pid, 'SIGKILL');
  await until('nothing of it is left', () => markedPids(id).length === 0);
  await other.jobs.refresh(box.id);
  await until('it is told', () => other.endings.length === 1, 10_000);
  expect(other.endings[0]?.attempt.status).toMatchObject({ kind: 'lost', reason: 'supervisorGone' });
});

it('a thousand attempts are in the tree in one round trip, and none that is muted is told twice', async () => {
  const first = await host.window();
  await first.connect();
  const id = await first.launched({ run: 'true' });
  await until('it is told', () => existsSync(join(jobsFolder(), id, 'told')), 10_000);
  first.close();
  const model = join(jobsFolder(), id);
  const files = ['spec.json', 'started', 'status', 'told', 'claim/owner'].map(
    name => [name, readFileSync(join(model, name), 'utf8')] as const,
  );
  for (let count = 0; count < 1_000; count++) {
    const folder = join(jobsFolder(), `20200101t000000-${String(count).padStart(12, '0')}`);
    mkdirSync(join(folder, 'claim'), { recursive: true, mode: 0o700 });
    for (const [name, text] of files)
      writeFileSync(join(folder, name), text.replace('"job":"drafter"', `"job":"job ${count % 100}"`));
    for (const path of [folder, join(folder, 'claim')]) chownSync(path, host.user.uid, host.user.gid);
    for (const [name] of files) chownSync(join(folder, name), host.user.uid, host.user.gid);
  }
  const window = await host.window();
  const connectedAtMs = performance.now();
  await window.fleet.connect(box, null);
  const readyMs = performance.now() - connectedAtMs;
  await new Promise<void>(resolve => {
    const look = (): void => {
      if (window.host().jobs?.readAtMs == null) return;
      listening.dispose();
      resolve();
    };
    const listening = window.fleet.store.onChange(look);
    look();
  });
  const treeMs = performance.now();
  const tree = jobsTree(window.fleet.store.state, Date.now());
  const drawnMs = performance.now();
  for (let count = 0; count < 5; count++) jobsTree(window.fleet.store.state, Date.now());
  const againMs = (performance.now() - drawnMs) / 5;
  process.stdout.write(
    `1001 attempts: connected after ${readyMs.toFixed(0)} ms, tree complete after ${(drawnMs - connectedAtMs).toFixed(0)} ms, ` +
      `of which ${(drawnMs - treeMs).toFixed(0)} ms for the view model, ${againMs.toFixed(0)} ms when drawn again\n`,
  );
  expect(window.host().jobs?.attempts.size).toBe(1_001);
  expect(tree).toHaveLength(101);
  expect(JSON.parse(recordsAsJson(window.fleet.store.state))).toHaveLength(1_001);
  expect(window.endings).toEqual([]);
});
