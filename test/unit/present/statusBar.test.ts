import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ConnectionState } from '../../../src/core/host/connection';
import { hostInStatusBar, statusBar } from '../../../src/core/present/statusBar';
import { busyGpu, failureOf, gib, gpu, gpuProcess, host, type HostParts, now, ready, stateOf } from './builders';

const connecting: ConnectionState = {
  kind: 'connecting',
  step: 'resolving',
  sinceMs: now,
  attempt: 0,
  lastFailure: null,
};
const waiting: ConnectionState = {
  kind: 'waiting',
  sinceMs: now,
  retryAtMs: now + 12_400,
  attempt: 1,
  failure: failureOf('lost'),
};
const needsUser = (kind: 'signInNeeded' | 'hostKeyChanged'): ConnectionState => ({
  kind: 'needsUser',
  sinceMs: now,
  failure: failureOf(kind),
});
const textOf = (parts: HostParts): string | undefined => statusBar(stateOf(host(parts)), now)?.text;

describe('the status bar of one host', () => {
  it.each<[string, HostParts, string]>([
    ['counts free cards', { gpus: [gpu(0), gpu(1), gpu(2), gpu(3)] }, 'blackwell 4 of 4 free'],
    [
      'adds the least power and the most VRAM of busy cards',
      { gpus: [gpu(0), gpu(1), busyGpu(2), busyGpu(3, { powerWatts: 580, memoryUsedBytes: 12 * gib })] },
      'blackwell 2 of 4 free · 412 W · 39.8 GiB',
    ],
    [
      'leaves them out where they do not fit whole',
      { name: 'mia@blackwell.lab.example', gpus: [gpu(0), busyGpu(1)] },
      'mia@blackwell.lab.example 1 of 2 free',
    ],
    ['shows the numbers of an only card', { name: 'desk', gpus: [busyGpu(0)] }, 'desk 412/600 W · 39.8/95.6 GiB'],
    [
      'shows what an only card has',
      { name: 'desk', gpus: [busyGpu(0, { powerWatts: null, powerLimitWatts: null })] },
      'desk 39.8/95.6 GiB',
    ],
    [
      'speaks of an only card without numbers',
      {
        name: 'spark',
        gpus: [
          busyGpu(0, {
            name: 'NVIDIA GB10',
            powerWatts: null,
            powerLimitWatts: null,
            memoryTotalBytes: null,
            memoryUsedBytes: null,
          }),
        ],
      },
      'spark GPU busy',
    ],
    ['names a lost card', { gpus: [gpu(0), gpu(1, { fault: 'lost' })] }, 'blackwell 1 of 2 free · GPU 1 lost'],
    [
      'names a card that needs a reset rather than count free ones',
      { gpus: [gpu(0), gpu(1, { fault: 'requiresReset' })] },
      'blackwell GPU 1 requires a reset',
    ],
    [
      'never shows a card that needs a reset as free',
      { gpus: [gpu(0, { fault: 'requiresReset' })] },
      'blackwell GPU requires a reset',
    ],
    ['says how old stale numbers are', { ageMs: 150_000 }, 'blackwell 2 min ago'],
    ['connects', { connection: connecting, watch: null }, 'blackwell connecting…'],
    [
      'reconnects with old numbers',
      { connection: { ...connecting, attempt: 1 }, ageMs: 9000 },
      'blackwell 9 s ago, reconnecting…',
    ],
    ['waits with old numbers', { connection: waiting, ageMs: 150_000 }, 'blackwell 2 min ago, retry in 12 s'],
    ['waits without numbers', { connection: waiting, watch: null }, 'blackwell unreachable, retry in 12 s'],
    ['needs the user', { connection: needsUser('signInNeeded') }, 'blackwell sign-in needed'],
    ['tells of a changed host key', { connection: needsUser('hostKeyChanged') }, 'blackwell host key changed'],
    ['has no numbers yet', { watch: null }, 'blackwell connected'],
    ['has no tool', { gpuWatch: { noTool: true, reading: null } }, 'blackwell no nvidia-smi'],
    ['has no driver', { gpus: [], snapshot: { error: 'noDriver' } }, 'blackwell no NVIDIA driver'],
    ['hangs', { gpuWatch: { unansweredForMs: 12_000 } }, 'blackwell nvidia-smi hangs'],
    [
      'is slow but does not hang',
      { gpuWatch: { unansweredForMs: 12_000 }, snapshot: { durationMs: 8000 } },
      'blackwell 31/600 W · 0/95.6 GiB',
    ],
  ])('%s', (_, parts, text) => {
    expect(textOf(parts)).toBe(text);
  });

  it('tells the age of GPU numbers that are older than the frames', () => {
    expect(textOf({ snapshot: { atMs: now - 4000 } })).toBe('blackwell 4 s ago');
  });

  it('spins only while it connects', () => {
    expect(statusBar(stateOf(host({ connection: connecting })), now)?.isBusy).toBe(true);
    expect(statusBar(stateOf(host()), now)?.isBusy).toBe(false);
  });

  it('is not there without a host to speak of', () => {
    expect(statusBar(stateOf(), now)).toBeNull();
    expect(statusBar(stateOf(host({ connection: { kind: 'disconnected' } })), now)).toBeNull();
  });
});

describe('the status bar of several hosts', () => {
  const shown = (...hosts: ReturnType<typeof host>[]) => hostInStatusBar(stateOf(...hosts))?.spec.id;

  it('speaks of the one connected last', () => {
    expect(shown(host({ name: 'a' }), host({ name: 'b' }))).toBe('b');
  });
  it('puts needing the user before a lost link, that before a failing tool, and all before health', () => {
    const user = host({ name: 'user', connection: needsUser('signInNeeded') });
    const down = host({ name: 'down', connection: waiting });
    const failing = host({ name: 'failing', gpus: [], snapshot: { error: 'noDriver' } });
    const fine = host({ name: 'fine' });
    expect(shown(user, down, failing, fine)).toBe('user');
    expect(shown(down, failing, fine)).toBe('down');
    expect(shown(failing, fine)).toBe('failing');
  });
  it('passes over what the user disconnected', () => {
    expect(shown(host({ name: 'a' }), host({ name: 'b', connection: { kind: 'disconnected' } }))).toBe('a');
  });
  it('lists the others in the tooltip', () => {
    const view = statusBar(stateOf(host({ name: 'a', gpus: [gpu(0), gpu(1)] }), host({ name: 'b' })), now);
    expect(JSON.stringify(view?.tooltip)).toContain('a 2 of 2 free');
  });
});

describe('its tooltip', () => {
  it('lists every card and who uses it, and says what the two numbers are', () => {
    const view = statusBar(stateOf(host({ gpus: [gpu(0), busyGpu(1)], processes: [gpuProcess(1, 4711)] })), now);
    const [name, cards, extremes, processes, memory] = view?.tooltip.sections ?? [];
    expect(name).toEqual({ kind: 'lines', lines: ['2 × NVIDIA RTX PRO 6000'] });
    expect(cards).toMatchObject({
      rows: [
        ['0', '31/600 W', '0/95.6 GiB', '0 %', '33 °C'],
        ['1', '412/600 W', '39.8/95.6 GiB', '98 %', '61 °C'],
      ],
    });
    expect(extremes).toEqual({
      kind: 'lines',
      lines: ['Of the busy GPUs, the least power is 412 W and the most VRAM 39.8 GiB.'],
    });
    expect(processes).toMatchObject({ rows: [['1', 'python3', 'mia', '1.5 GiB', '4711']] });
    expect(memory).toEqual({ kind: 'lines', lines: ['Host memory: 401 of 432 GiB available'] });
    expect(view?.tooltip.asOfMs).toBe(now - 500);
  });
  it('names each card where they differ', () => {
    const view = statusBar(stateOf(host({ gpus: [gpu(0), gpu(1, { name: 'NVIDIA L4' })] })), now);
    expect(view?.tooltip.sections[0]).toMatchObject({
      rows: [
        ['0', 'NVIDIA RTX PRO 6000', '31/600 W', '0/95.6 GiB', '0 %', '33 °C'],
        ['1', 'NVIDIA L4', '31/600 W', '0/95.6 GiB', '0 %', '33 °C'],
      ],
    });
  });
  it('is not a process list', () => {
    const processes = Array.from({ length: 20 }, (_, index) => gpuProcess(0, 100 + index));
    const view = statusBar(stateOf(host({ gpus: [busyGpu(0)], processes })), now);
    expect(JSON.stringify(view?.tooltip)).toContain('and 8 more');
  });
  it('says what went wrong and what to do', () => {
    const view = statusBar(stateOf(host({ connection: waiting })), now);
    expect(view?.tooltip.sections).toContainEqual({
      kind: 'lines',
      lines: ['It failed: lost.', 'Do something about it.'],
    });
  });
});

describe('what a screen reader is told', () => {
  const label = (parts: HostParts, atMs = now) => statusBar(stateOf(host(parts)), atMs)?.accessibilityLabel;

  it('is spelled out', () => {
    expect(label({ gpus: [gpu(0), busyGpu(1)] })).toBe('Headroom, blackwell: 1 of 2 GPUs free');
    expect(label({ gpus: [busyGpu(0)] })).toBe(
      'Headroom, blackwell: GPU 0 busy, about 400 of 600 watts, 40 of 96 gibibytes',
    );
  });
  it('has a fault in it', () => {
    expect(label({ gpus: [gpu(0), gpu(1, { fault: 'lost' })] })).toBe(
      'Headroom, blackwell: 1 of 2 GPUs free, GPU 1 lost',
    );
  });
  it('does not change with every watt or every second', () => {
    expect(label({ gpus: [busyGpu(0)] })).toBe(label({ gpus: [busyGpu(0, { powerWatts: 405 })] }));
    expect(label({ connection: waiting })).toBe(label({ connection: waiting }, now + 5000));
    expect(label({ ageMs: 10_000 })).toBe(label({ ageMs: 20_000 }));
  });
});

describe('whatever a host calls itself', () => {
  it('the text is plain and short', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary', minLength: 1 }),
      fc.constantFrom('$(error)', '[x](command:a)', 'a'.repeat(9999)),
    );
    const connection = fc.constantFrom(ready, connecting, waiting, needsUser('signInNeeded'));
    fc.assert(
      fc.property(name, connection, fc.integer({ min: 0, max: 4 }), fc.nat(10_000_000), (text, state, cards, ageMs) => {
        const gpus = Array.from({ length: cards }, (_, index) => (index % 2 ? gpu(index) : busyGpu(index)));
        const shown = textOf({ name: text, connection: state, gpus, ageMs }) ?? '';
        expect([...shown].length).toBeLessThanOrEqual(40);
        expect(shown).not.toMatch(/\$\(|\]\(|[\p{Cc}\p{Cf}]/u);
      }),
    );
  });
});
