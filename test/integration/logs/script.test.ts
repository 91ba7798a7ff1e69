import {
  appendFileSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  truncateSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { FollowMessage } from '../../../src/core/job/log/followProtocol';
import { isAlive, runOrThrow, signalProcess, treeOf, until } from '../../support/processes';
import { startFollow, type RunningFollow } from './followScript';

let dir: string;
let jobs: string;
let open: RunningFollow[];

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), 'follow-'));
  jobs = join(dir, 'my jobs');
  mkdirSync(jobs);
  open = [];
});

afterEach(async () => {
  for (const follow of open) await follow.dispose();
  rmSync(dir, { recursive: true, force: true });
});

async function start(shell: string, env: Readonly<Record<string, string>> = {}): Promise<RunningFollow> {
  const follow = await startFollow(shell, jobs, env);
  open.push(follow);
  return follow;
}

/** The log of an attempt, which is there from now on. */
function logOf(attempt: string, content: string | Uint8Array = ''): string {
  const folder = join(jobs, attempt);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, 'log');
  writeFileSync(file, content);
  return file;
}

const inodeOf = (file: string): string => String(statSync(file, { bigint: true }).ino);
const endOf = (more = false): FollowMessage => ({ kind: 'end', more });

/** What is said of a part that was sent in full. */
function part(key: number, file: string, offset: number, content: string | Uint8Array): readonly FollowMessage[] {
  const bytes = Buffer.from(content);
  return [
    { kind: 'bytes', key, inode: inodeOf(file), offset, bytes },
    { kind: 'sent', key, offset: offset + bytes.length },
  ];
}

const allBytes = Uint8Array.from({ length: 256 }, (_, byte) => byte);

describe.each(['dash', 'busybox sh', 'bash'])('follow.sh in %s', shell => {
  it('tells what a log holds and what it grows by, each byte once', async () => {
    const file = logOf('a-1', 'one\n');
    const follow = await start(shell);
    follow.send('follow 1 a-1 0 -');
    expect(await follow.tick()).toEqual([...part(1, file, 0, 'one\n'), endOf()]);
    expect(await follow.tick()).toEqual([endOf()]);
    appendFileSync(file, 'no line feed');
    expect(await follow.tick()).toEqual([...part(1, file, 4, 'no line feed'), endOf()]);
    appendFileSync(file, allBytes);
    appendFileSync(file, '\n\n');
    expect(await follow.tick()).toEqual([
      ...part(1, file, 16, Buffer.concat([allBytes, Buffer.from('\n\n')])),
      endOf(),
    ]);
    expect(follow.stderr()).toBe('');
  });

  it('is not deceived by a log that speaks like it', async () => {
    const lies = '\x1eb5d3a1c8 end 1 all\n\x1eb5d3a1c7\n\x1e\x1eb5d3a1c\nend 1 all\n';
    const file = logOf('a', lies);
    const follow = await start(shell);
    follow.send('follow 1 a 0 -');
    expect(await follow.tick()).toEqual([...part(1, file, 0, lies), endOf()]);
  });

  it('goes on at the offset it is told, and can be told again', async () => {
    const file = logOf('a', '0123456789');
    const follow = await start(shell);
    follow.send(`follow 7 a 4 ${inodeOf(file)}`);
    expect(await follow.tick()).toEqual([...part(7, file, 4, '456789'), endOf()]);
    follow.send(`follow 7 a 8 ${inodeOf(file)}`);
    expect(await follow.tick()).toEqual([...part(7, file, 8, '89'), endOf()]);
    follow.send('unfollow 7');
    appendFileSync(file, 'x');
    expect(await follow.tick()).toEqual([endOf()]);
  });

  it('says when a log was truncated, and reads it from its start', async () => {
    const file = logOf('a', '0123456789');
    const follow = await start(shell);
    follow.send('follow 1 a 0 -');
    await follow.tick();
    truncateSync(file, 0);
    appendFileSync(file, 'new');
    expect(await follow.tick()).toEqual([{ kind: 'truncated', key: 1 }, ...part(1, file, 0, 'new'), endOf()]);
    truncateSync(file, 0);
    expect(await follow.tick()).toEqual([{ kind: 'truncated', key: 1 }, endOf()]);
    appendFileSync(file, 'er');
    expect(await follow.tick()).toEqual([...part(1, file, 0, 'er'), endOf()]);
  });

  it('says when another file is in its place, also when that happened between two connections', async () => {
    const file = logOf('a', 'old old old');
    const follow = await start(shell);
    follow.send('follow 1 a 0 -');
    const first = inodeOf(file);
    await follow.tick();
    renameSync(file, `${file}.1`);
    writeFileSync(file, 'new new new new');
    const expected = [{ kind: 'replaced', key: 1 }, ...part(1, file, 0, 'new new new new'), endOf()];
    expect(await follow.tick()).toEqual(expected);
    follow.send(`follow 1 a 11 ${first}`);
    expect(await follow.tick()).toEqual(expected);
  });

  it('says once that a log is missing, and reads it when it appears', async () => {
    const follow = await start(shell);
    logOf('b', 'b');
    follow.send('follow 1 a 0 -');
    follow.send('follow 2 b 0 -');
    follow.send('follow 3 c tail -');
    expect(await follow.tick()).toEqual([
      { kind: 'missing', key: 1 },
      { kind: 'missing', key: 3 },
      ...part(2, join(jobs, 'b', 'log'), 0, 'b'),
      endOf(),
    ]);
    expect(await follow.tick()).toEqual([endOf()]);
    const file = logOf('a', 'here');
    expect(await follow.tick()).toEqual([...part(1, file, 0, 'here'), endOf()]);
    renameSync(file, `${file}.away`);
    expect(await follow.tick()).toEqual([{ kind: 'missing', key: 1 }, endOf()]);
    renameSync(`${file}.away`, file);
    appendFileSync(file, ' again');
    expect(await follow.tick()).toEqual([...part(1, file, 4, ' again'), endOf()]);
  });

  it('finds the jobs folder when it comes into being, and holds no folder busy', async () => {
    rmSync(jobs, { recursive: true });
    const follow = await start(shell);
    follow.send('follow 1 a 0 -');
    expect(await follow.tick()).toEqual([{ kind: 'missing', key: 1 }, endOf()]);
    const file = logOf('a', 'x');
    expect(await follow.tick()).toEqual([...part(1, file, 0, 'x'), endOf()]);
    expect(await runOrThrow('readlink', [`/proc/${follow.pid}/cwd`])).toBe('/\n');
  });

  it('follows a log that is a link, and takes nothing for a log that is no file', async () => {
    const far = join(dir, 'far away');
    writeFileSync(far, 'far');
    for (const attempt of ['a', 'b', 'c']) mkdirSync(join(jobs, attempt));
    symlinkSync(far, join(jobs, 'a', 'log'));
    await runOrThrow('mkfifo', [join(jobs, 'b', 'log')]);
    mkdirSync(join(jobs, 'c', 'log'));
    const follow = await start(shell);
    for (const [index, attempt] of ['a', 'b', 'c'].entries()) follow.send(`follow ${index} ${attempt} 0 -`);
    expect(await follow.tick()).toEqual([
      { kind: 'missing', key: 1 },
      { kind: 'missing', key: 2 },
      ...part(0, far, 0, 'far'),
      endOf(),
    ]);
  });

  it('shares what may be sent, and sends the rest with the next ticks', async () => {
    const sizes = [100_000, 10, 60_000];
    const files = sizes.map((size, index) => logOf(`a${index}`, Buffer.alloc(size, 48 + index)));
    const follow = await start(shell);
    files.forEach((_, index) => follow.send(`follow ${index} a${index} 0 -`));
    const got = files.map(() => 0);
    for (let tick = 0, more = true; more; tick++) {
      const frame = await follow.tick(30_000);
      let bytes = 0;
      for (const message of frame) {
        if (message.kind !== 'bytes') continue;
        expect(message.offset).toBe(got[message.key]);
        expect(Buffer.from(message.bytes).every(byte => byte === 48 + message.key)).toBe(true);
        got[message.key]! += message.bytes.length;
        bytes += message.bytes.length;
      }
      if (tick === 0) expect(got).toEqual([10_001, 10, 19_989].map(size => expect.closeTo(size, -2) as number));
      expect(bytes).toBeLessThanOrEqual(30_000 + files.length);
      ({ more } = frame.at(-1) as FollowMessage & { kind: 'end' });
    }
    expect(got).toEqual(sizes);
  });

  it('fetches of a large log its tail, and says what it left out', async () => {
    const file = logOf('big');
    const size = 1_073_741_824;
    truncateSync(file, size);
    const handle = openSync(file, 'r+');
    writeSync(handle, 'last line\n', size - 10);
    closeSync(handle);
    const follow = await start(shell);
    follow.send('follow 1 big 0 -');
    const startMs = performance.now();
    const frame = await follow.tick();
    console.log(`${shell}: the tail of 1 GiB in ${(performance.now() - startMs).toFixed(1)} ms`);
    const from = size - 262_144;
    expect(frame[0]).toEqual({ kind: 'skipped', key: 1, from: 0, to: from });
    expect(frame[1]).toMatchObject({ kind: 'bytes', offset: from });
    const { bytes } = frame[1] as FollowMessage & { kind: 'bytes' };
    expect(bytes).toHaveLength(262_144);
    expect(Buffer.from(bytes.subarray(-10)).toString()).toBe('last line\n');
    expect(frame.at(-1)).toEqual(endOf());
    // And exactly from there on.
    appendFileSync(file, 'x');
    expect(await follow.tick()).toEqual([...part(1, file, size, 'x'), endOf()]);
    // Up to 8 MiB are read in full; only the tail is, where only that is wanted.
    follow.send(`follow 1 big ${size - 1_000_000} -`);
    expect((await follow.tick())[0]).toMatchObject({ kind: 'bytes', offset: size - 1_000_000 });
    follow.send('follow 2 big tail -');
    expect((await follow.tick())[0]).toEqual({ kind: 'skipped', key: 2, from: 0, to: size + 1 - 262_144 });
  });

  it('does nothing for what is no line of the protocol', async () => {
    logOf('a', 'x');
    const hostile = [
      'follow 1 ../a 0 -',
      'follow 1 -a 0 -',
      'follow 1 .a 0 -',
      'follow x a 0 -',
      'follow 01 a 0 -',
      'follow 1 a 010 -',
      'follow 1 a 99999999999999999999 -',
      'follow 1 a 0 x',
      'follow 1 a',
      'follow',
      'unfollow',
      'tick',
      'tick x',
      'else 1 2 3',
      '',
    ];
    const follow = await start(shell);
    for (const line of hostile) follow.send(line);
    expect(await follow.tick()).toEqual([endOf()]);
    expect(follow.stderr()).toBe('');
  });

  it('does its work whatever the login has set', async () => {
    const file = logOf('a', 'x');
    const follow = await start(shell, {
      SHELLOPTS: 'errexit:noclobber:nounset:xtrace',
      IFS: '0',
      CDPATH: '/tmp',
      POSIXLY_CORRECT: '1',
      NONCE: 'a',
      JOBS: '/nowhere',
      keys: '9',
    });
    follow.send('follow 1 a 0 -');
    expect(await follow.tick()).toEqual([...part(1, file, 0, 'x'), endOf()]);
  });

  it('reads with tail where dd counts in blocks only', async () => {
    const bin = join(dir, 'bin');
    mkdirSync(bin);
    writeFileSync(join(bin, 'dd'), `#!/bin/sh\n: >'${dir}/asked'\nexit 1\n`, { mode: 0o755 });
    const file = logOf('a', Buffer.concat([Buffer.from('skipped'), allBytes, allBytes]));
    const follow = await start(shell, { PATH: `${bin}:${process.env['PATH'] ?? ''}` });
    expect(readdirSync(dir)).toContain('asked');
    follow.send('follow 1 a 7 -');
    expect(await follow.tick()).toEqual([...part(1, file, 7, Buffer.concat([allBytes, allBytes])), endOf()]);
  });

  it.each(['its input ends', 'SIGTERM', 'SIGHUP'] as const)('leaves nothing behind when %s', async how => {
    logOf('a', Buffer.alloc(1_000_000));
    const follow = await start(shell);
    follow.send('follow 1 a 0 -');
    await follow.tick();
    const tree = treeOf(follow.pid).map(({ pid }) => pid);
    if (how === 'its input ends') follow.endInput();
    else signalProcess(follow.pid, how);
    expect(await follow.ended).toBe(0);
    await until('all of its processes are gone', () => !tree.some(isAlive));
  });

  it('holds nothing more after five hundred ticks over fifty logs, and prints what they cost', async () => {
    const files = Array.from({ length: 50 }, (_, index) => logOf(`attempt-${index}`, 'x'));
    const follow = await start(shell);
    files.forEach((_, index) => follow.send(`follow ${index} attempt-${index} 0 -`));
    await follow.tick();
    const held = readdirSync(`/proc/${follow.pid}/fd`).length;
    const before = await cpuMs(follow.pid);
    for (let tick = 0; tick < 500; tick++) expect(await follow.tick()).toEqual([endOf()]);
    console.log(`${shell}: ${(((await cpuMs(follow.pid)) - before) / 500).toFixed(2)} ms of CPU a tick over 50 logs`);
    unlinkSync(files[0]!);
    expect(await follow.tick()).toEqual([{ kind: 'missing', key: 0 }, endOf()]);
    expect(readdirSync(`/proc/${follow.pid}/fd`)).toHaveLength(held);
    expect(treeOf(follow.pid)).toHaveLength(1);
  });
});

/** Of the shell and of the children it has waited for. */
async function cpuMs(pid: number): Promise<number> {
  const stat = await runOrThrow('cat', [`/proc/${pid}/stat`]);
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks), 0) * 10;
}
