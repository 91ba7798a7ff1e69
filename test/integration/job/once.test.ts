import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it } from 'vitest';
import type { LaunchOrder } from '../../../src/control/ports';
import { oneShotScript } from '../../../src/core/host/remoteScript';
import { jobScripts } from '../../../src/hosts/jobScripts';
import { until } from '../../support/processes';
import {
  createJobRig,
  markedPids,
  removeTemporary,
  runAs,
  shells,
  supervisorPids,
  temporaryFolder,
  type JobRig,
} from './rig';

let rig: JobRig;
afterEach(() => rig.dispose());
afterAll(removeTemporary);

/** A job that says each time it is run, and stays. */
const lastingOrder = (more?: Parameters<JobRig['order']>[1]): LaunchOrder =>
  rig.order({ run: 'echo "$HEADROOM_ATTEMPT" >>runs\nexec sleep 300' }, more);

const runs = (): readonly string[] => {
  const file = join(rig.home, 'runs');
  return existsSync(file) ? readFileSync(file, 'utf8').trim().split('\n') : [];
};

/** Waits until nobody is on the way to becoming the command any more. */
const settled = (id: string): Promise<unknown> =>
  until('only the supervisor of the running attempt is left', async () => {
    const [attempt] = (await rig.list()).filter(known => known.id === id);
    const supervisors = supervisorPids(id).length;
    switch (attempt?.status.kind) {
      case 'running':
        return supervisors <= 1 && runs().length > 0;
      case 'starting':
        return false;
      default:
        return supervisors === 0;
    }
  });

describe.each(shells)('in %s', shell => {
  it('of ten supervisors one runs the command', async () => {
    rig = await createJobRig({ shell });
    // Staged by a launch whose supervisor could not be started: the folder is there, and nobody has claimed it.
    const order = lastingOrder();
    const staged = jobScripts.launch(order, { state: null, logs: null }).replace(/^ {2}"\$setsid" sh .*$/m, '');
    const waiting = rig.run(staged.replace('left=200', 'left=1'));
    await waiting;
    const folder = join(rig.jobs()!, order.id);
    expect((await rig.list())[0]?.status.kind).toBe('queued');
    // They wait for one moment, so that they meet at the claim and not at their start.
    const race = `go=$(( $(date +%s) + 1 )); n=0; cd '${folder}'
      while [ $n -lt 10 ]; do
        (while [ "$(date +%s)" -lt $go ]; do :; done; exec setsid sh ./supervise ${order.id} 022 0 >/dev/null 2>&1) &
        n=$((n + 1))
      done`;
    await rig.run(race);
    await settled(order.id);
    expect(runs()).toEqual([order.id]);
    expect(markedPids(order.id).length).toBe(1);
    // The losers leave nothing behind.
    expect(readdirSync(folder).filter(name => name.startsWith('claim'))).toEqual(['claim']);
    expect(readdirSync(join(folder, 'claim'))).toEqual(['owner']);
  });

  it('two windows that launch the same attempt at once start it once', async () => {
    rig = await createJobRig({ shell });
    const order = lastingOrder();
    const results = await Promise.all([rig.launch(order), rig.launch(order), rig.launch(order)]);
    expect(results.map(({ kind }) => kind)).toEqual(['launched', 'launched', 'launched']);
    await settled(order.id);
    expect(runs()).toEqual([order.id]);
    expect(readdirSync(rig.jobs()!)).toEqual([order.id]);
  });

  it('an attempt that has ended is not run again', async () => {
    rig = await createJobRig({ shell });
    const order = rig.order({ run: 'echo once >>runs' });
    await rig.launch(order);
    await rig.attemptWhen('it has ended', order.id, ({ status }) => status.kind === 'finished');
    const again = await rig.launch(order);
    expect(again).toMatchObject({ kind: 'launched', attempt: { status: { outcome: { kind: 'succeeded' } } } });
    await settled(order.id);
    expect(runs()).toEqual(['once']);
  });

  it('two windows that relaunch one attempt start one new one', async () => {
    rig = await createJobRig({ shell, place: { logs: '~/logs' } });
    const parent = rig.order();
    await rig.launch(parent);
    const orders = [1, 2, 3, 4].map(() => lastingOrder({ parent: parent.id }));
    const results = await Promise.all(orders.map(order => rig.launch(order)));
    const winners = orders.filter((_, index) => results[index]?.kind === 'launched');
    expect(winners.length).toBe(1);
    const [winner] = winners;
    const others = results.filter(({ kind }) => kind !== 'launched');
    expect(others).toEqual(others.map(() => ({ kind: 'relaunched', by: winner?.id })));
    await settled(winner!.id);
    expect(runs()).toEqual([winner?.id]);
    // Of those that came too late nothing is there, and the winner may ask again.
    expect(readdirSync(rig.jobs()!).sort()).toEqual([parent.id, winner!.id].sort());
    expect(readdirSync(join(rig.home, 'logs')).sort()).toEqual([`${parent.id}.log`, `${winner!.id}.log`].sort());
    expect((await rig.launch(winner!)).kind).toBe('launched');
    expect((await rig.list()).find(({ id }) => id === parent.id)?.relaunchedBy).toBe(winner?.id);
  });
});

describe('a script that was cut off on its way', () => {
  it('does nothing', async () => {
    rig = await createJobRig();
    const text = oneShotScript(jobScripts.launch(lastingOrder(), { state: null, logs: null }), 'abc');
    const end = text.lastIndexOf('} </dev/null');
    for (let part = 1; part <= 20; part += 1) {
      const cut = text.slice(0, Math.floor((end * part) / 20));
      await runAs(rig.user, 'env', ['-i', `HOME=${rig.home}`, 'PATH=/usr/bin:/bin', 'sh', '-s'], cut);
    }
    expect(readdirSync(rig.home)).toEqual([]);
  });
});

describe.each(shells)('cut off at any step, in %s', shell => {
  /** What the scripts run beside builtins. The last two do not come back while the job lives: they have no "after". */
  const programs = ['mkdir', 'mv', 'rm', 'dd', 'date', 'readlink', 'tr', 'chmod', 'sleep', 'setsid', 'env'];

  /**
   * Tools that kill the process group they are called in, which is that of the launch or that of its supervisor, when the
   * nth of them is called: before or after it has done its work.
   */
  const deadlyTools = (): string => {
    const tools = temporaryFolder();
    for (const program of programs) {
      const real = shell === 'busybox' ? `/usr/bin/busybox ${program}` : `/usr/bin/${program}`;
      const text = `#!/bin/dash
read -r when nth 2>/dev/null <"$HOME/armed" || exec ${real} "$@"
echo ${program} >>"$HOME/calls"
count=0
while read -r _; do count=$((count + 1)); done <"$HOME/calls"
[ "$count" = "$nth" ] || exec ${real} "$@"
case $when-${program} in
after-setsid | after-env) exec ${real} "$@" ;;
after-*) ${real} "$@" ;;
esac
kill -KILL 0
`;
      writeFileSync(join(tools, program), text, { mode: 0o755 });
    }
    return tools;
  };

  it.each(['before', 'after'])(
    '%s it was done, it is none or one, and never lost',
    async when => {
      const tools = deadlyTools();
      const seen = new Set<string>();
      for (let nth = 1; nth < 100; nth += 1) {
        rig = await createJobRig({ shell, tools });
        writeFileSync(join(rig.home, 'armed'), `${when} ${nth}\n`);
        const order = lastingOrder();
        const first = rig.launch(order);
        // The client has lost its link, or knows the answer; the tools count on until they have killed, or nobody calls them.
        const cut = await Promise.race([
          first.then(result => (result.kind === 'unknown' ? 'launch' : 'none')),
          until('the tools have killed', () => {
            const calls = existsSync(join(rig.home, 'calls')) ? readFileSync(join(rig.home, 'calls'), 'utf8') : '';
            return calls.split('\n').length > nth && 'somebody';
          }),
        ]);
        rmSync(join(rig.home, 'armed'));
        const again = await rig.launch(order);
        await settled(order.id);
        const [attempt, ...others] = await rig.list();
        expect([nth, others]).toEqual([nth, []]);
        expect(readdirSync(rig.jobs()!)).toEqual([order.id]);
        const status = attempt!.status;
        seen.add(status.kind === 'lost' ? status.reason : status.kind);
        if (status.kind === 'running') {
          expect([nth, again.kind, runs()]).toEqual([nth, 'launched', [order.id]]);
        } else {
          // Between `started` and the command, the supervisor is gone with what would have become the command.
          expect([nth, status.kind]).toEqual([nth, 'lost']);
          expect([nth, runs(), markedPids(order.id)]).toEqual([nth, [], []]);
        }
        await first;
        await rig.dispose();
        if (cut === 'none') break;
        expect(nth).toBeLessThan(99);
      }
      // The faults reached both sides of the claim.
      expect(seen).toContain('neverStarted');
      expect(seen).toContain('running');
    },
    120_000,
  );
});
