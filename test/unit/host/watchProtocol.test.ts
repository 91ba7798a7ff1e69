import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { fullFields } from '../../../src/core/gpu/query';
import type { GpuQueryState } from '../../../src/core/host/watchFrame';
import type { StreamLine } from '../../../src/core/host/remoteScript';
import { createWatchReader, tickLine, type WatchMessage } from '../../../src/core/host/watchProtocol';

const control = (words: string): StreamLine => ({ kind: 'control', words });
const text = (line: string): StreamLine => ({ kind: 'text', text: line });

/** `> words` is a control line, everything else is text. */
function read(...lines: readonly string[]): WatchMessage[] {
  const reader = createWatchReader();
  return lines.flatMap(line => reader.push(line.startsWith('> ') ? control(line.slice(2)) : text(line)) ?? []);
}

function gpuOf(...lines: readonly string[]): GpuQueryState {
  const [message] = read('> frame 1 10.00', '> memory', ...lines, '> end 1');
  if (message?.kind !== 'frame') throw new Error('no frame');
  return message.frame.gpu;
}

const header = 'index, uuid, name, memory.total [MiB], memory.used [MiB], utilization.gpu [%], temperature.gpu, ';
const fullHeader = `${header}power.draw [W], power.limit [W], enforced.power.limit [W], mig.mode.current`;
const card = (index: number, mig: string): string =>
  `${index}, GPU-${index}, NVIDIA H100, 81559 MiB, 100 MiB, 7 %, 40, 80.50 W, 700.00 W, 700.00 W, ${mig}`;

describe('a host that writes without measure', () => {
  const many = (count: number, line: (index: number) => string) => Array.from({ length: count }, (_, at) => line(at));

  it('is read up to a bound, and what was read is said to be in part', () => {
    const cards = many(500, at => card(at, 'Disabled'));
    const apps = many(9_000, at => `GPU-${at % 100}, ${at + 1}, python, 10 MiB`);
    const gpu = gpuOf(
      '> gpu answered 100 0',
      '> out gpus',
      fullHeader,
      ...cards,
      '> exit 0',
      '> out apps',
      'gpu_uuid, pid, process_name, used_gpu_memory [MiB]',
      ...apps,
      '> exit 0',
    );
    if (gpu.kind !== 'answered') throw new Error(gpu.kind);
    expect(gpu.answer.partial).toBe(true);
    expect(gpu.answer.gpus).toHaveLength(128);
    expect(gpu.answer.processes).toHaveLength(1_000);
  });

  it('opens no more sections than there is room for', () => {
    const sections = many(10_000, at => `> out gpus${at}`);
    expect(gpuOf('> gpu answered 100 0', ...sections, '> out gpus', fullHeader, card(0, 'Disabled'))).toMatchObject({
      answer: { gpus: [], partial: true },
    });
  });
});

it('takes no host at its word that a query took longer than any can', () =>
  expect(
    gpuOf('> gpu answered 999999999999999 0', '> out gpus', fullHeader, card(0, 'Disabled'), '> exit 0'),
  ).toMatchObject({ answer: { durationMs: 600_000 } }));

describe('the hello', () => {
  it('is read as the identity of the host', () =>
    expect(
      read(
        'noise before it',
        '> hello',
        'system=Linux',
        'hostname=box',
        'machine_id=0123',
        'boot_id=ab-cd',
        'pidns=pid:[4026531836]',
        'nvidia_smi=/opt/a=b/nvidia-smi',
        '> hello end',
      ),
    ).toEqual([
      {
        kind: 'hello',
        identity: {
          system: 'Linux',
          hostname: 'box',
          machineId: '0123',
          bootId: 'ab-cd',
          firstPidNamespace: true,
          nvidiaSmi: '/opt/a=b/nvidia-smi',
        },
      },
    ]));

  it('knows nothing of what the host does not say', () =>
    expect(read('> hello', 'system=Linux', 'machine_id=', 'pidns=pid:[4026532281]', '> hello end')).toMatchObject([
      { identity: { hostname: null, machineId: null, bootId: null, firstPidNamespace: false, nvidiaSmi: null } },
    ]));
});

describe('a frame', () => {
  it('holds its number, uptime and memory', () =>
    expect(
      read('> frame 7 1234.56', '> memory', '/proc/meminfo:MemTotal: 2048 kB', '> gpu idle', '> end 7'),
    ).toMatchObject([
      {
        kind: 'frame',
        frame: {
          seq: 7,
          uptimeSeconds: 1234.56,
          memory: { totalBytes: 2_097_152 },
          gpu: { kind: 'idle' },
          queryStarted: false,
        },
      },
    ]));

  it('tells that a query began', () =>
    expect(read('> frame 1 1.00', '> query started', '> gpu running 0', '> end 1')).toMatchObject([
      { frame: { gpu: { kind: 'running', forMs: 0 }, queryStarted: true } },
    ]));

  it('is dropped when it is cut short', () =>
    expect(read('> frame 1 1.00', '> memory', '> frame 2 2.00', '> gpu idle', '> end 2')).toMatchObject([
      { frame: { seq: 2 } },
    ]));

  it('is not ended by the end of another', () => expect(read('> frame 2 1.00', '> end 1')).toEqual([]));

  it('tells how the query stands', () => {
    expect(gpuOf('> gpu none')).toEqual({ kind: 'noTool' });
    expect(gpuOf('> gpu running 2500')).toEqual({ kind: 'running', forMs: 2500 });
    expect(gpuOf('> gpu broken no folder here')).toEqual({ kind: 'broken', reason: 'no folder here' });
  });
});

describe('an answer', () => {
  it('joins GPUs, processes, their users and MIG devices', () => {
    const gpu = gpuOf(
      '> gpu answered 120 880',
      '> out gpus',
      fullHeader,
      card(0, 'Enabled'),
      card(1, 'Disabled'),
      '',
      '> exit 0',
      '> out list',
      'GPU 0: NVIDIA H100 (UUID: GPU-0)',
      '  MIG 1g.10gb     Device  0: (UUID: MIG-aa)',
      'GPU 1: NVIDIA H100 (UUID: GPU-1)',
      '',
      '> exit 0',
      '> out apps',
      'gpu_uuid, pid, process_name, used_gpu_memory [MiB]',
      'GPU-1, 42, python3, 512 MiB',
      'GPU-1, 43, python3, 256 MiB',
      'GPU-1, 44, python3, 128 MiB',
      '',
      '> exit 0',
      '> out owners',
      '/proc/42 1000 ada',
      "stat: cannot statx '/proc/44': No such file or directory",
      '/proc/43 1017 UNKNOWN',
      '',
      '> exit 1',
    );
    expect(gpu).toMatchObject({
      kind: 'answered',
      answer: {
        durationMs: 120,
        ageMs: 880,
        error: null,
        partial: false,
        gpus: [
          { index: 0, migEnabled: true, migDevices: [{ uuid: 'MIG-aa', profile: '1g.10gb' }] },
          { index: 1, migEnabled: false, powerWatts: 80.5 },
        ],
        processes: [
          { pid: 42, user: 'ada', memoryBytes: 512 * 2 ** 20 },
          { pid: 43, user: '1017' },
          { pid: 44, user: null },
        ],
      },
    });
  });

  it('takes the second try of an old driver, and reads it as what it was asked', () =>
    expect(
      gpuOf(
        '> gpu answered 20 0',
        '> out gpus',
        'Field "mig.mode.current" is not a valid field to query.',
        '',
        '> exit 2',
        '> out gpus base',
        `${header}power.draw [W], power.limit [W]`,
        '0, GPU-0, Tesla K80, 11441 MiB, 0 MiB, 0 %, 30, 26.00 W, 149.00 W',
        '',
        '> exit 0',
      ),
    ).toMatchObject({
      answer: { error: null, gpus: [{ name: 'Tesla K80', powerLimitWatts: 149, migEnabled: null }], processes: null },
    }));

  it('says that the tool was ended when it took too long and said nothing', () =>
    expect(gpuOf('> gpu answered 20010 0', '> out gpus', '', '> exit 124')).toMatchObject({
      answer: { gpus: [], processes: null, message: 'nvidia-smi did not answer in time and was ended.' },
    }));

  it('keeps the GPUs when their processes cannot be listed', () =>
    expect(
      gpuOf(
        '> gpu answered 20 0',
        '> out gpus',
        fullHeader,
        card(0, 'Disabled'),
        '',
        '> exit 0',
        '> out apps',
        'Failed to initialize NVML: Insufficient Permissions',
        '',
        '> exit 4',
      ),
    ).toMatchObject({ answer: { gpus: [{ index: 0 }], processes: null, error: 'permission', partial: true } }));

  it('cannot be forged by the name of a process', () =>
    expect(gpuOf('> gpu idle', '\x1efeed end 1', 'gpu none')).toEqual({ kind: 'idle' }));
});

it('never throws, and never tells a frame that was not ended', () => {
  const word = fc.constantFrom(
    'hello',
    'end',
    'frame',
    'memory',
    'gpu',
    'out',
    'exit',
    'query',
    'answered',
    '1',
    'gpus',
  );
  const words = fc.array(fc.oneof(word, fc.string())).map(parts => parts.join(' '));
  const line = fc.oneof(words.map(control), fc.string().map(text), fc.constant(text(fullHeader)));
  fc.assert(
    fc.property(fc.array(line, { maxLength: 60 }), lines => {
      const reader = createWatchReader();
      for (const next of lines) {
        const message = reader.push(next);
        if (message?.kind === 'frame') expect(next).toEqual(control(`end ${message.frame.seq}`));
      }
    }),
  );
});

it('asks in the words of the script', () => {
  expect(tickLine({ gpus: false, processes: false, list: false })).toBe('tick -');
  expect(tickLine({ gpus: true, processes: false, list: false })).toBe('tick g');
  expect(tickLine({ gpus: true, processes: true, list: true })).toBe('tick gpl');
});

it('has a test row for every field', () => expect(fullHeader.split(', ')).toHaveLength(fullFields.length));
