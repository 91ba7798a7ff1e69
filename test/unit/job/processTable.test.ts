import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isDead, parseProcessTable } from '../../../src/core/job/process/processTable';
import { readSignalAnswers, signalScript } from '../../../src/core/job/process/signalling';

/** The fields of /proc/PID/stat behind the name, up to the start and one more. */
const fields = (ppid: number, start: number, flags = 0): string =>
  `S ${ppid} 7 7 0 -1 ${flags} 0 0 0 0 0 0 0 0 20 0 3 0 ${start} 4096`;

const table = (...lines: readonly string[]): string =>
  ['self=7', 'boot=b-1', `/proc/7/stat:7 (sh) ${fields(1, 50)}`, ...lines, 'end=', ''].join('\n');

describe('parseProcessTable', () => {
  it('reads a process with everything that is told of it', () => {
    const read = parseProcessTable(
      table(
        `/proc/8/stat:8 (python3) ${fields(7, 60)}`,
        '/proc/8/status:Uid:\t1000\t0\t0\t0',
        '/proc/8/cgroup:headroom-a1.scope',
        '/proc/8/environ:HEADROOM_ATTEMPT=a1',
        '/proc/8/environ:HEADROOM_ATTEMPT=b2',
      ),
    );
    expect(read).toMatchObject({ bootId: 'b-1', self: 7 });
    expect(read?.processes.get(8)).toEqual({
      pid: 8,
      startTicks: 60,
      ppid: 7,
      pgid: 7,
      sid: 7,
      state: 'S',
      threads: 3,
      kernel: false,
      comm: 'python3',
      uid: 1000,
      attempt: 'a1',
      cgroup: 'a1',
    });
    expect(read?.processes.get(7)).toMatchObject({ uid: null, attempt: null, cgroup: null });
  });

  it('knows a thread of the kernel by its flag', () => {
    const read = parseProcessTable(table(`/proc/9/stat:9 (kworker/0:1) ${fields(2, 1, 69_238_880)}`));
    expect(read?.processes.get(9)?.kernel).toBe(true);
  });

  it('takes no name for anything else, whatever is in it', () => {
    fc.assert(
      fc.property(
        fc.string({
          unit: fc.constantFrom(' ', '(', ')', '\n', '\r', '1', 'R', ':', '/proc/7/stat:', 'end=\n'),
          maxLength: 15,
        }),
        name => {
          const lines = `8 (${name}) ${fields(7, 60)}`.split('\n').map(line => `/proc/8/stat:${line}`);
          const read = parseProcessTable(table(...lines));
          expect(read?.processes.size).toBe(2);
          expect(read?.processes.get(8)).toMatchObject({ comm: name, ppid: 7, startTicks: 60 });
          expect(read?.processes.get(7)).toMatchObject({ comm: 'sh', startTicks: 50 });
        },
      ),
    );
  });

  it('is null for a table that is not all there', () => {
    const whole = table(`/proc/8/stat:8 (a) ${fields(7, 60)}`);
    expect(parseProcessTable(whole)).not.toBeNull();
    for (let length = 0; length < whole.length; length += 1)
      expect(parseProcessTable(whole.slice(0, length))).toBeNull();
    expect(parseProcessTable(whole.replace('boot=b-1', 'boot='))).toBeNull();
    expect(parseProcessTable(whole.replace('self=7', 'self=70'))).toBeNull();
  });

  it('leaves out what makes no sense, and never throws', () => {
    for (const stat of ['', '8', '8 (a', '8 (a)', '8 (a) S', `9 (a) ${fields(1, 1)}`, '8 (a) S x 7 7 0 0 0 0', ') (']) {
      expect(parseProcessTable(table(`/proc/8/stat:${stat}`))?.processes.size).toBe(1);
    }
    fc.assert(fc.property(fc.string({ unit: 'binary' }), text => void parseProcessTable(table(text))));
  });
});

it('calls a process dead only when its last thread has ended', () => {
  const [process] = [...(parseProcessTable(table())?.processes.values() ?? [])];
  expect(isDead({ ...process!, state: 'Z', threads: 1 })).toBe(true);
  expect(isDead({ ...process!, state: 'Z', threads: 2 })).toBe(false);
  expect(isDead({ ...process!, state: 'D', threads: 1 })).toBe(false);
});

describe('signalling', () => {
  const targets = [
    { pid: 5, startTicks: 50 },
    { pid: 6, startTicks: 60 },
  ];

  it('hands over numbers and fixed words alone', () => {
    expect(signalScript('body', 'TERM', targets)).toBe('set -- TERM 5:50 6:60\nbody');
  });

  it('reads the answers in the order of the targets, and takes none for none', () => {
    expect(readSignalAnswers('6:60 refused\n5:50 sent\n', targets)).toEqual(['sent', 'refused']);
    expect(readSignalAnswers('5:51 sent\n6:60 perhaps\n', targets)).toEqual([null, null]);
  });
});
