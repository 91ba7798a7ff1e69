import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { fromStart } from '../../../src/core/job/log/logPoint';
import { endingText } from '../../../src/core/present/endings';
import { jobsTree } from '../../../src/core/present/jobsTree';
import { recordsAsCsv, recordsAsJson } from '../../../src/core/present/records';
import { until } from '../../support/processes';
import { markedPids } from '../job/rig';
import { box, logOf, plainJob, startJobHost, untilFile, type JobHost } from './rig';

let host: JobHost;

beforeAll(async () => {
  host = await startJobHost();
});

afterEach(() => host.clear());

afterAll(() => host.dispose());

const go = (name: string): string => join(host.work, name);

it('a job is prepared, launched, followed to the byte, and told of when it has ended', async () => {
  const window = await host.window();
  await window.connect();
  const prepared = await window.jobs.prepare({
    name: 'drafter',
    host: 'box',
    cwd: host.work,
    run: 'sh train.sh --max-seq-len 8192',
    setup: [],
    env: new Map(),
    envFile: null,
    gpus: { kind: 'anyFree', count: 2 },
    parameters: [],
    outputs: [],
    fitsAfter: null,
  });
  if (prepared.kind === 'failed') throw new Error(prepared.failure.message);
  const { launch } = prepared;
  expect(launch.obstacles).toEqual([]);
  expect(launch.lookup?.command).toMatchObject({ kind: 'found' });
  expect(launch.numbers[0]).toMatchObject({ name: '--max-seq-len', value: 8192 });
  const cards = window.host().watch?.gpu.reading?.gpus ?? [];
  expect(launch.gpus.proposed).toEqual([cards[0]?.uuid, cards[1]?.uuid]);

  writeFileSync(
    join(host.work, 'train.sh'),
    `echo "on $CUDA_VISIBLE_DEVICES"; echo "value \${HEADROOM_VALUE}"; echo "step 1: 4.50 it/s"; ${untilFile(go('go'))}; echo done; exit 3`,
    { mode: 0o755 },
  );
  const choices = { number: launch.numbers[0] ?? null, gpus: launch.gpus.proposed, parent: null, source: null };
  const outcome = await window.jobs.launch(launch, choices);
  if (outcome.kind !== 'launched') throw new Error(JSON.stringify(outcome));
  const { id } = outcome.attempt;
  const heard: Buffer[] = [];
  window.jobs.followLog(box.id, id, fromStart, event => {
    if (event.kind === 'bytes') heard.push(Buffer.from(event.bytes));
  });
  const running = await window.attemptWhen('its speed is known', id, one => one.log?.throughput != null);
  expect(running.log?.throughput).toMatchObject({ value: 4.5, unit: 'it/s' });
  expect(running.attempt.spec).toMatchObject({ job: 'drafter', values: { '--max-seq-len': 8192 }, gpus: choices.gpus });
  expect(window.endings).toEqual([]);

  writeFileSync(go('go'), '');
  const endedAtMs = Date.now();
  const [ending] = await until('its end is told', () => (window.endings.length > 0 ? window.endings : null), 10_000);
  process.stdout.write(`an ending was told after ${Date.now() - endedAtMs} ms\n`);
  expect(ending?.attempt.status).toMatchObject({ kind: 'finished', outcome: { kind: 'failed', exitCode: 3 } });
  expect(ending?.lastLine).toBe('done');
  const finished = await window.attemptWhen('it is written down that it was told', id, one => one.attempt.told);
  await until('the log is complete', () => Buffer.concat(heard).equals(readFileSync(logOf(finished))), 5_000);
  expect(Buffer.concat(heard).toString()).toContain(`value 8192`);
  expect(window.warnings).toEqual([]);
});

it('a job whose link is cut, and whose editor is killed, is found again by another window', async () => {
  const first = await host.window();
  await first.connect();
  const id = await first.launched({ run: `echo begun; ${untilFile(go(`found`))}; echo over` });
  // The shell; what it runs comes and goes.
  const [before] = markedPids(id);
  host.sshd.killSessions();
  await until('the link is lost', () => first.host().connection.kind === 'waiting', 10_000);
  const again = await first.fleet.connect(box, null);
  expect(again.kind).toBe('ready');
  await first.attemptWhen('it runs', id, one => one.attempt.status.kind === 'running');
  first.close();

  const second = await host.window();
  await second.connect();
  const found = await second.attemptWhen('its log is heard', id, one => one.log?.lastLines.includes('begun') === true);
  expect(found.attempt).toMatchObject({ told: false, status: { kind: 'running' } });
  expect(markedPids(id)[0]).toBe(before);
  writeFileSync(go('found'), '');
  await until('its end is told', () => second.endings.length === 1, 10_000);
  expect(second.endings[0]?.attempt.status).toMatchObject({ outcome: { kind: 'succeeded' } });
  expect(first.endings).toEqual([]);
});

it('what ended while nobody looked is told when somebody does, and not a second time', async () => {
  const first = await host.window();
  await first.connect();
  const id = await first.launched({ run: `${untilFile(go('gone'))}; echo 'RuntimeError: no' >&2; echo bye; exit 1` });
  const { folder } = (await first.attemptWhen('it is known', id, () => true)).attempt;
  first.close();
  writeFileSync(go('gone'), '');
  await until('it has ended', () => existsSync(join(folder, 'status')), 10_000);
  const second = await host.window();
  await second.connect();
  await until('it is told', () => second.endings.length === 1, 10_000);
  expect(second.endings[0]?.lastLine).toBe('RuntimeError: no');
  await until('that it was told is written', () => existsSync(join(folder, 'told')), 10_000);
  const third = await host.window();
  await third.connect();
  expect(third.attempt(id)?.attempt.told).toBe(true);
  expect(third.endings).toEqual([]);
});

it('a command that names its attempt is recorded as it was given, so that the next one writes elsewhere', async () => {
  const window = await host.window();
  await window.connect();
  const run = 'echo "writes out/{attempt}"';
  const ids = [await window.launched({ run }), await window.launched({ run })];
  for (const id of ids) {
    const ended = await window.attemptWhen('it has ended', id, ({ attempt }) => attempt.status.kind === 'finished');
    expect(ended.attempt.spec.run).toBe(run);
    expect(readFileSync(logOf(ended), 'utf8')).toBe(`writes out/${id}\n`);
  }
});

it('a job that runs already is asked about before it runs a second time, and one with outputs of its own is not', async () => {
  const window = await host.window();
  await window.connect();
  const obstaclesOf = async (run: string): Promise<readonly string[]> => {
    const prepared = await window.jobs.prepare({ ...plainJob, cwd: host.work, run });
    if (prepared.kind === 'failed') throw new Error(prepared.failure.message);
    expect(prepared.launch.obstacles.every(({ passable }) => passable)).toBe(true);
    return prepared.launch.obstacles.map(({ kind }) => kind);
  };
  const run = untilFile(go('second'));
  expect(await obstaclesOf(run)).toEqual([]);
  const ids = [await window.launched({ run }), await window.launched({ run: `: {attempt}; ${run}` })];
  expect(await obstaclesOf(run)).toEqual(['runsAlready']);
  expect(await obstaclesOf(`: {attempt}; ${run}`)).toEqual([]);
  writeFileSync(go('second'), '');
  for (const id of ids) await window.attemptWhen('it ended', id, one => one.attempt.status.kind === 'finished');
  expect(await obstaclesOf(run)).toEqual([]);
});

it('of two windows that see ten jobs end, one alone tells of each', async () => {
  const [one, other] = [await host.window(), await host.window()];
  await Promise.all([one.connect(), other.connect()]);
  const ids: string[] = [];
  for (let count = 0; count < 10; count++) {
    ids.push(await one.launched({ name: `job ${count}`, run: `${untilFile(go('ten'))}; echo ${count}` }));
  }
  await other.jobs.refresh(box.id);
  expect([...(other.host().jobs?.attempts.keys() ?? [])].sort()).toEqual([...ids].sort());
  writeFileSync(go('ten'), '');
  await until('all are told', () => one.endings.length + other.endings.length >= 10, 20_000);
  await one.attemptWhen('the last is written down', ids[9]!, ({ attempt }) => attempt.status.kind === 'finished');
  await other.jobs.refresh(box.id);
  await one.jobs.refresh(box.id);
  const told = [...one.endings, ...other.endings].map(({ attempt }) => attempt.id);
  expect([...told].sort()).toEqual([...ids].sort());
});

it('a job is stopped, with nothing of it left', async () => {
  const window = await host.window();
  await window.connect();
  const id = await window.launched({ run: `(sleep 1000 & sleep 1000); true` });
  await until('its tree stands', () => markedPids(id).length >= 3);
  const steps: string[] = [];
  const outcome = await window.jobs.stop(box.id, id, {
    by: 'alice@laptop',
    reason: 'asked for',
    consent: null,
    onProgress: ({ kind }) => void steps.push(kind),
  });
  expect(outcome).toMatchObject({ kind: 'stopped', announced: true, left: [] });
  expect(steps).toContain('asked');
  expect(markedPids(id)).toEqual([]);
  const one = await window.attemptWhen('it is over', id, ({ attempt }) => attempt.status.kind === 'finished');
  expect(one.attempt.status).toMatchObject({ outcome: { kind: 'stopped', by: 'alice@laptop' } });
  expect(one.isStopping).toBe(false);
});

it('silence is told once, and not again before there was a word', async () => {
  const window = await host.window();
  window.stallAfterMs = 1_500;
  await window.connect();
  const id = await window.launched({
    run: `echo first; ${untilFile(go('speak'))}; echo second; ${untilFile(go('end'))}`,
  });
  await until('it is told', () => window.stalls.length === 1, 15_000);
  expect(window.stalls[0]).toMatchObject({ attempt: { id } });
  writeFileSync(go('speak'), '');
  await until('it is told again', () => window.stalls.length === 2, 15_000);
  writeFileSync(go('end'), '');
  await until('it has ended', () => window.endings.length === 1, 10_000);
});

it('a job that would come back at once, or is nowhere to be found, is refused before anything is done', async () => {
  const window = await host.window();
  await window.connect();
  expect(await window.launch({ run: 'nohup python train.py &' })).toMatchObject({ kind: 'refused' });
  expect(await window.launch({ run: 'true', cwd: '/no/such/folder' })).toMatchObject({ kind: 'refused' });
  await window.jobs.refresh(box.id);
  expect(window.host().jobs?.attempts.size).toBe(0);
});

it('what is in the environment of a job reaches the job, and nothing that is shown, kept or logged here', async () => {
  const window = await host.window();
  await window.connect();
  const env = new Map([['WANDB_API_KEY', 'planted-in-env']]);
  writeFileSync(join(host.work, 'secrets.env'), 'HF_TOKEN=planted-in-file\nno variable planted-in-line\n');
  const job = {
    run: 'printf "%s\\n" "${#WANDB_API_KEY} ${#HF_TOKEN}"; exit 1',
    env,
    envFile: join(host.work, 'secrets.env'),
  };
  const prepared = await window.jobs.prepare({ ...plainJob, cwd: host.work, ...job });
  if (prepared.kind === 'failed') throw new Error(prepared.failure.message);
  expect(prepared.launch.notices).toEqual([`Line 2 of ${job.envFile} sets no variable.`]);
  const id = await window.launched(job);
  await until('its end is told', () => window.endings.length === 1, 10_000);
  const one = await window.attemptWhen('it is over', id, ({ attempt }) => attempt.status.kind === 'finished');
  expect(readFileSync(logOf(one), 'utf8')).toBe('14 15\n');
  const { state } = window.fleet.store;
  const shown = [
    recordsAsJson(state),
    recordsAsCsv(state),
    JSON.stringify(jobsTree(state, Date.now())),
    endingText(window.endings[0]!),
    JSON.stringify([...(window.host().jobs?.attempts.values() ?? [])]),
    window.warnings.join('\n'),
  ].join('\n');
  expect(shown).toContain(id);
  expect(shown).not.toContain('planted');
});
