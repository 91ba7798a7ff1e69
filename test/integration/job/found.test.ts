import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { KnownAttempt } from '../../../src/control/reconcile';
import type { Started } from '../../../src/core/job/attempt';
import { signalProcess } from '../../support/processes';
import { createJobRig, makeFolder, removeTemporary, runAs, shells, type JobRig } from './rig';

let rig: JobRig;
afterEach(() => rig.dispose());
afterAll(removeTemporary);

/** A job that lasts, running: its id, its folder and the record of its start. */
async function running(): Promise<{ readonly id: string; readonly folder: string; readonly started: Started }> {
  const order = rig.order({ run: 'exec sleep 300' });
  const launched = await rig.launch(order);
  if (launched.kind !== 'launched' || launched.attempt.status.kind !== 'running') throw new Error(launched.kind);
  return { id: order.id, folder: join(rig.jobs()!, order.id), started: launched.attempt.status.started };
}

/** Writes a file of the job directory anew, each line changed. */
function rewrite(file: string, change: (line: string) => string): void {
  const lines = readFileSync(file, 'utf8').trimEnd().split('\n');
  writeFileSync(file, `${lines.map(change).join('\n')}\n`);
}

const ticksOf = (pid: number): number =>
  Number(
    readFileSync(`/proc/${pid}/stat`, 'utf8')
      .replace(/^.*\) /s, '')
      .split(' ')[19],
  );

const isLost = ({ status }: KnownAttempt): boolean => status.kind === 'lost';

describe.each(shells)('an attempt is found, in %s', shell => {
  it('running while its supervisor is dead and the command lives, and lost when nobody can tell how it ended', async () => {
    rig = await createJobRig({ shell });
    const { id, started } = await running();
    signalProcess(started.supervisor.pid, 'SIGKILL');
    const orphan = await rig.attemptWhen('the supervisor is gone', id, () => {
      try {
        return ticksOf(started.supervisor.pid) !== started.supervisor.startTicks;
      } catch {
        return true;
      }
    });
    expect(orphan.status.kind).toBe('running');
    signalProcess(started.command.pid, 'SIGKILL');
    const lost = await rig.attemptWhen('it is lost', id, isLost);
    expect(lost.status).toEqual({ kind: 'lost', started, reason: 'supervisorGone' });
  });

  it('lost when the machine has booted since, whatever has its pid now', async () => {
    rig = await createJobRig({ shell });
    const { id, folder, started } = await running();
    const before = '11111111-2222-3333-4444-555555555555';
    rewrite(join(folder, 'started'), line => (line.startsWith('boot_id=') ? `boot_id=${before}` : line));
    const [attempt] = await rig.list();
    expect(attempt).toMatchObject({ id, status: { kind: 'lost', reason: 'rebooted' } });
    signalProcess(started.command.pid, 'SIGKILL');
  });

  it('lost when its pids belong to other processes now', async () => {
    rig = await createJobRig({ shell });
    const { folder, started } = await running();
    // This process lives, and began at another moment.
    const others = `${process.pid} ${ticksOf(process.pid) + 1}`;
    rewrite(join(folder, 'started'), line => line.replace(/^(supervisor|command)=.*/, `$1=${others}`));
    expect((await rig.list())[0]?.status).toMatchObject({ kind: 'lost', reason: 'supervisorGone' });
    rewrite(join(folder, 'started'), line =>
      line.replace(/^command=.*/, `command=${process.pid} ${ticksOf(process.pid)}`),
    );
    expect((await rig.list())[0]?.status.kind).toBe('running');
    for (const { pid } of [started.supervisor, started.command]) signalProcess(pid, 'SIGKILL');
  });

  it('and shown only, when a later version has written to it', async () => {
    rig = await createJobRig({ shell });
    const { folder } = await running();
    rewrite(join(folder, 'claim/owner'), line => line.replace(/^format=1$/, 'format=2'));
    expect((await rig.list())[0]?.status).toEqual({ kind: 'unknownFormat', format: '2' });
  });
});

describe('what else lies in the folder', () => {
  it('is no attempt, and does not stand in the way of one', async () => {
    rig = await createJobRig();
    const { id } = await running();
    const jobs = rig.jobs()!;
    for (const name of ['$(touch x)', 'a b', '-rf', '.hidden', `${id}.new.1.1`]) makeFolder(join(jobs, name), rig.user);
    writeFileSync(join(jobs, 'notes'), 'machine=other\n');
    expect((await rig.list()).map(known => known.id)).toEqual([id]);
    // The next launch takes away what a dead one has staged.
    const next = rig.order();
    await rig.launch(next);
    const names = (await runAs(rig.user, 'ls', ['-A', jobs])).stdout;
    expect(names).not.toContain('.new.');
  });
});

describe('a thousand attempts', () => {
  it.each(shells)('are listed in one round trip, in %s', async shell => {
    rig = await createJobRig({ shell });
    const { id, folder } = await running();
    const jobs = dirname(folder);
    const spec = readFileSync(join(folder, 'spec.json'), 'utf8');
    const owner = readFileSync(join(folder, 'claim/owner'), 'utf8');
    const started = readFileSync(join(folder, 'started'), 'utf8');
    for (let count = 1; count < 1000; count += 1) {
      const other = join(jobs, `20250101t000000-${String(count).padStart(12, '0')}`);
      mkdirSync(join(other, 'claim'), { recursive: true });
      writeFileSync(join(other, 'spec.json'), spec.replace('drafter', `job ${count % 100}`));
      writeFileSync(join(other, 'claim/owner'), owner);
      writeFileSync(join(other, 'started'), started);
      // As many run as one user can have running.
      if (count % 20 !== 0) writeFileSync(join(other, 'status'), 'format=1\nat=1800000000\nexit=0\noom_kill=0\n');
    }
    const beganMs = performance.now();
    const attempts = await rig.list();
    console.log(`1000 attempts, ${shell}: ${Math.round(performance.now() - beganMs)} ms`);
    expect(attempts.length).toBe(1000);
    expect(attempts.at(-1)?.id).toBe(id);
    const count = (kind: string): number => attempts.filter(({ status }) => status.kind === kind).length;
    expect([count('running'), count('finished')]).toEqual([50, 950]);
  });
});
