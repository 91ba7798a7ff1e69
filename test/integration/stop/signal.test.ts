import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { membersOf } from '../../../src/core/job/process/members';
import { parseProcessTable } from '../../../src/core/job/process/processTable';
import { readSignalAnswers, signalScript, type Signal } from '../../../src/core/job/process/signalling';
import processes from '../../../src/hosts/scripts/processes.sh';
import signal from '../../../src/hosts/scripts/signal.sh';
import { isAlive, run, runOrThrow, until } from '../../support/processes';
import { startNeighbour, startTree, type Tree } from '../../support/trees/tree';
import { trees } from '../../support/trees/scripts';
import { ensureTestUser, type TestUser } from '../../support/users';
import { localHost } from './localHost';

let alice: TestUser;
let bob: TestUser;
let folder: string;
const open: { dispose(): Promise<void> | void }[] = [];

beforeAll(async () => {
  alice = await ensureTestUser('hr-alice');
  bob = await ensureTestUser('hr-bob');
  folder = mkdtempSync(join(tmpdir(), 'hr-signal-'));
  chmodSync(folder, 0o755);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(async () => {
  for (const item of open.splice(0)) await item.dispose();
});

function neighbour(user: TestUser): ReturnType<typeof startNeighbour> {
  const started = startNeighbour(user);
  open.push({ dispose: () => started.end() });
  return started;
}

async function tree(name: keyof typeof trees): Promise<Tree> {
  const started = await startTree(alice, trees[name]);
  open.push(started);
  return started;
}

const textOf = async (script: string, shell: string, env: NodeJS.ProcessEnv = {}): Promise<string> => {
  const result = await localHost(shell, alice, env).run(script, { deadlineMs: 20_000 });
  return result.kind === 'exited' ? result.stdout : '';
};

describe.each(['dash', 'busybox sh', 'bash'])('signal.sh in %s', shell => {
  const send = async (name: Signal, targets: readonly { pid: number; startTicks: number }[]) =>
    readSignalAnswers(await textOf(signalScript(signal, name, targets), shell), targets);

  it('signals only who is meant', async () => {
    const [mine, other, theirs] = [neighbour(alice), neighbour(alice), neighbour(bob)];
    const wrong = { pid: other.pid, startTicks: other.startTicks - 1 };
    const nobody = { pid: 4_194_305, startTicks: 1 };
    expect(await send('KILL', [wrong, mine, nobody, theirs])).toEqual(['gone', 'sent', 'gone', 'refused']);
    await until('it has ended', () => !isAlive(mine.pid));
    expect([other.isUntouched(), theirs.isUntouched()]).toEqual([true, true]);
  });

  it('finds the start behind a name with parentheses and line feeds', async () => {
    const job = await tree('oddNames');
    const odd = await job.sleepers(2);
    expect(await send('KILL', odd)).toEqual(['sent', 'sent']);
    await until('both have ended', () => odd.every(({ pid }) => !isAlive(pid)));
  });

  it('forks nothing between looking and signalling', async () => {
    const [mine, other] = [neighbour(alice), neighbour(alice)];
    const trace = join(folder, 'trace');
    const script = signalScript(signal, 'CONT', [mine, { ...other, startTicks: 1 }]);
    const words = ['-f', '-o', trace, '-e', 'trace=kill,clone,clone3,fork,vfork', ...shell.split(' '), '-s'];
    await runOrThrow('strace', words, { input: script });
    const calls = readFileSync(trace, 'utf8')
      .split('\n')
      .filter(line => /(kill|clone3?|v?fork)\(/.test(line));
    expect(calls).toEqual([expect.stringContaining(`kill(${mine.pid}, SIGCONT)`)]);
  });

  it('does not signal a pid that another process has got', async () => {
    // In a pid namespace of its own the next pid can be chosen, so that a pid is really used again.
    const file = join(folder, 'script');
    writeFileSync(file, signal);
    const inside = `start() { sed 's/.*) //' "/proc/$1/stat" | cut -d' ' -f20; }
sleep 100 & old=$!; began=$(start $old); kill -KILL $old; wait $old
while [ "$(start self)" -le $((began + 2)) ]; do sleep 0.02; done
echo $((old - 1)) >/proc/sys/kernel/ns_last_pid
sleep 100 & new=$!
echo "$old $new $began $(start $new)"
${shell} '${file}' KILL "$old:$began"
${shell} '${file}' TERM "$new:$(start $new)"
wait $new; echo $?`;
    const done = await run('unshare', ['--pid', '--fork', '--mount-proc', 'dash', '-c', inside], { timeoutMs: 20_000 });
    const [first = '', second, third, exit] = done.stdout.split('\n');
    const [old, recycled, began, beganAgain] = first.split(' ');
    expect(recycled).toBe(old);
    expect(beganAgain).not.toBe(began);
    expect([second, third, exit]).toEqual([`${old}:${began} gone`, `${recycled}:${beganAgain} sent`, '143']);
  });
});

describe.each(['dash', 'busybox sh', 'bash'])('processes.sh in %s', shell => {
  it('tells whose each process is, whatever its name', async () => {
    const job = await tree('oddNames');
    const odd = await job.sleepers(2);
    const theirs = neighbour(bob);
    const table = parseProcessTable(await textOf(processes, shell));
    for (const { pid, startTicks } of odd) {
      expect(table?.processes.get(pid)).toMatchObject({
        startTicks,
        uid: alice.uid,
        attempt: job.attempt.id,
        threads: 1,
      });
    }
    const names = odd.map(({ pid }) => table?.processes.get(pid)?.comm);
    expect(names.sort()).toEqual(['a) R 1 (b', 'x\n1 (y) S 1 1']);
    expect(table?.processes.get(theirs.pid)).toMatchObject({ uid: bob.uid, attempt: null, comm: 'sleep' });
    expect(table?.processes.get(2)?.kernel).toBe(true);
  });

  it('gives away nothing of an environment but the marker, and does without a grep that splits at NUL', async () => {
    const job = await tree('plain');
    await job.sleepers(2);
    const old = join(folder, 'old');
    await runOrThrow('mkdir', ['-p', old]);
    const reject = `#!/bin/sh\nfor word; do case $word in -*z*) exit 2 ;; esac; done\nexec /bin/grep "$@"\n`;
    writeFileSync(join(old, 'grep'), reject, { mode: 0o755 });
    for (const path of ['', `${old}:`]) {
      const text = await textOf(processes, shell, { PATH: `${path}${process.env['PATH'] ?? ''}` });
      expect(text).not.toContain(job.folder);
      const { certain } = membersOf(parseProcessTable(text)!, { ...job.attempt, started: null });
      expect(certain).toEqual([]);
      const { markedOnly } = membersOf(parseProcessTable(text)!, { ...job.attempt, started: null });
      expect(markedOnly).toHaveLength(3);
    }
  });
});
