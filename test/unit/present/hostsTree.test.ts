import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { GpuToolFailure } from '../../../src/core/gpu/reading';
import { hostsTree } from '../../../src/core/present/hostsTree';
import { tooltipMarkdown } from '../../../src/core/present/markdown';
import type { TreeNode } from '../../../src/core/present/treeNode';
import { busyGpu, failureOf, gib, gpu, gpuProcess, host, type HostParts, mib, now, stateOf } from './builders';

/** The tree as text: a row a line, indented, as somebody would read it. */
function drawn(parts: HostParts): string {
  const row = (node: TreeNode, depth: number): string[] => [
    `${'  '.repeat(depth)}${node.label}${node.description === '' ? '' : `  ${node.description}`}`,
    ...node.children.flatMap(child => row(child, depth + 1)),
  ];
  return hostsTree(stateOf(host(parts)), now)
    .flatMap(node => row(node, 0))
    .join('\n');
}

function allNodes(nodes: readonly TreeNode[]): readonly TreeNode[] {
  return nodes.flatMap(node => [node, ...allNodes(node.children)]);
}

describe('a live host', () => {
  it('shows its cards, who uses them, and its memory', () => {
    const processes = [gpuProcess(1, 4711), gpuProcess(1, 4712, { user: 'noor', name: 'C:\\tools\\train.exe' })];
    expect(drawn({ gpus: [gpu(0), busyGpu(1)], processes })).toBe(
      [
        'blackwell  1 of 2 free',
        '  GPU 0  31/600 W · 0/95.6 GiB · 0 % · 33 °C · NVIDIA RTX PRO 6000',
        '  GPU 1  412/600 W · 39.8/95.6 GiB · 98 % · 61 °C · NVIDIA RTX PRO 6000',
        '    python3  mia · 1.5 GiB · pid 4711',
        '    train.exe  noor · 1.5 GiB · pid 4712',
        '  Host memory  401 of 432 GiB available',
      ].join('\n'),
    );
  });

  it('leaves out what is not available, and never makes it 0', () => {
    const nothing = { powerWatts: null, powerLimitWatts: null, utilization: null, temperatureC: null };
    const text = drawn({ gpus: [gpu(0, { ...nothing, memoryUsedBytes: null, memoryTotalBytes: null, name: null })] });
    expect(text).toContain('GPU 0  no readings · unknown model');
    expect(
      drawn({ gpus: [busyGpu(0)], processes: [gpuProcess(0, 7, { user: null, name: null, memoryBytes: null })] }),
    ).toContain('unknown program  unknown user · pid 7');
  });

  it('says that a card shares its memory with the processor', () => {
    const memory = { memoryUsedBytes: null, memoryTotalBytes: null };
    expect(drawn({ gpus: [gpu(0, { name: 'NVIDIA GB10', ...memory })] })).toContain('unified memory');
    expect(drawn({ gpus: [gpu(0, { name: 'NVIDIA H200', ...memory })] })).not.toContain('unified memory');
  });

  it('says when a busy card hides its processes', () => {
    const hidden = 'busy, but its processes are not visible from here';
    expect(drawn({ gpus: [busyGpu(0)], processes: [] })).toContain(hidden);
    expect(drawn({ gpus: [gpu(0)], processes: [] })).not.toContain(hidden);
    expect(drawn({ gpus: [busyGpu(0)], processes: null })).not.toContain(hidden);
    expect(drawn({ gpus: [busyGpu(0)], processes: [gpuProcess(0, 7)] })).not.toContain(hidden);
  });

  it('lists MIG devices', () => {
    const migDevices = [{ index: 0, uuid: 'MIG-a', profile: '1g.10gb' }];
    expect(drawn({ gpus: [gpu(0, { migEnabled: true, utilization: null, migDevices })] })).toContain(
      '    MIG 1g.10gb  device 0',
    );
  });

  it('hints at room on a busy card that draws little, once that has lasted', () => {
    const hint = 'busy at 100 % but draws 250 of 600 W: room to go up';
    const lowFor = (ms: number) => ({
      gpus: [busyGpu(0, { utilization: 100, powerWatts: 250 })],
      gpuWatch: { lowPowerSinceMs: new Map([['GPU-0', now - ms]]) },
    });
    expect(drawn(lowFor(20_000))).toContain(hint);
    expect(drawn(lowFor(19_000))).not.toContain('room to go up');
  });

  it('never shows a card with a fault as free, nor its numbers', () => {
    const text = drawn({ gpus: [gpu(0, { fault: 'requiresReset', memoryUsedBytes: 0 }), gpu(3, { fault: 'lost' })] });
    expect(text).toContain('blackwell  0 of 2 free, GPU 0 requires a reset');
    expect(text).toContain(
      'GPU 0  requires a reset · NVIDIA RTX PRO 6000\n    This GPU cannot be used until it is reset.',
    );
    expect(text).toContain('GPU 3  lost · NVIDIA RTX PRO 6000');
    expect(text).not.toContain('0/95.6');
  });

  it('names what limits its memory, and the kernel kills', () => {
    const memory = {
      totalBytes: 16 * gib,
      availableBytes: 2 * gib,
      limitedBy: { kind: 'cgroup', path: '/user.slice' },
      oomKills: 9,
      pressureSome10: 12.4,
    } as const;
    expect(drawn({ watch: { memory, oomKillsSeen: 2 } })).toContain(
      [
        '  Host memory  2.0 of 16.0 GiB available · 12 % waiting for memory',
        '    The kernel ended 2 processes for want of memory since watching began.',
        '    limited by a control group  /user.slice',
      ].join('\n'),
    );
  });
});

describe('a host with trouble', () => {
  it.each<[GpuToolFailure, string]>([
    ['noTool', 'nvidia-smi was not found on this host.'],
    ['noDriver', 'nvidia-smi cannot reach the NVIDIA driver.'],
    ['driverMismatch', 'The loaded NVIDIA driver and its library are of different versions, as after an update.'],
    ['gpuLost', 'A GPU has fallen off the bus.'],
    ['noDevices', 'nvidia-smi finds no GPU.'],
    ['permission', 'This account may not read the GPUs.'],
    ['invalidField', 'nvidia-smi does not know what it was asked.'],
    ['unsupportedTool', 'The tool that answered is not nvidia-smi.'],
    ['unknown', 'nvidia-smi failed in a way that Headroom does not know.'],
  ])('says what %s means, what to do, and goes on with host memory', (error, message) => {
    const text = drawn({ gpus: [], snapshot: { error, message: 'words of the tool' } });
    const [, problem, advice, memory] = text.split('\n');
    expect(problem).toBe(`  ${message}`);
    expect(advice?.length).toBeGreaterThan(20);
    expect(memory).toBe('  Host memory  401 of 432 GiB available');
  });

  it('says for how long nvidia-smi has not answered', () => {
    const text = drawn({ gpuWatch: { unansweredForMs: 12_000 }, snapshot: { atMs: now - 12_000 } });
    expect(text).toContain('blackwell  nvidia-smi hangs, GPUs 12 s ago');
    expect(text).toContain('nvidia-smi has not answered for 12 s.\n  A query is never started twice.');
    expect(text).toContain('GPU 0  12 s ago · 31/600 W');
    expect(text).toContain('Host memory  401 of 432 GiB available');
  });

  it('says why the numbers of a slow tool are old', () => {
    const text = drawn({ snapshot: { durationMs: 5_000 } });
    expect(text).toContain('blackwell  1 of 1 free\n  nvidia-smi takes 5 s to answer, so it is asked every 20 s only.');
    expect(text).toContain('Persistence mode');
    expect(text).toContain('GPU 0  31/600 W');
    expect(drawn({ snapshot: { durationMs: 2_500 } })).not.toContain('to answer');
  });

  it('keeps good cards beside a failure', () => {
    const text = drawn({ gpus: [gpu(0)], snapshot: { error: 'gpuLost', partial: true } });
    expect(text).toContain('blackwell  1 of 1 free');
    expect(text).toContain('A GPU has fallen off the bus.');
  });

  it('says once, at the card, that a card is lost', () => {
    const text = drawn({ gpus: [gpu(0), gpu(1, { fault: 'lost' })], snapshot: { error: 'gpuLost', partial: true } });
    expect(text).toContain('blackwell  1 of 2 free, GPU 1 lost');
    expect(text).toContain('    This GPU has fallen off the bus.');
    expect(text).not.toContain('A GPU has fallen');
  });

  it('tells why a lost link is down, and how old everything is', () => {
    const failure = failureOf('lost', 'The connection was lost.');
    const connection = { kind: 'waiting', sinceMs: now, retryAtMs: now + 30_000, attempt: 2, failure } as const;
    const text = drawn({ connection, ageMs: 150_000 });
    expect(text.split('\n').slice(0, 3)).toEqual([
      'blackwell  2 min ago, retry in 30 s',
      '  The connection was lost.',
      '  Do something about it.',
    ]);
    expect(text).toContain('GPU 0  2 min ago · 31/600 W');
    expect(text).toContain('Host memory  401 of 432 GiB available · 2 min ago');
  });

  it('says what a sign-in is about', () => {
    const connection = { kind: 'needsUser', sinceMs: now, failure: failureOf('signInNeeded') } as const;
    expect(drawn({ connection, ageMs: 9000 })).toContain('blackwell  sign-in needed, numbers from 9 s ago');
  });

  it('says what connecting is at', () => {
    const connection = { kind: 'connecting', step: 'verifying', sinceMs: now, attempt: 0, lastFailure: null } as const;
    expect(drawn({ connection, watch: null })).toBe('blackwell  checking the host key…');
  });
});

describe('what can be done with a host', () => {
  const capabilities = (parts: HostParts) => hostsTree(stateOf(host(parts)), now)[0]?.capabilities;
  it('depends on where its connection is', () => {
    const failure = failureOf('lost');
    expect(capabilities({})).toEqual(['canDisconnect', 'canForget']);
    expect(capabilities({ connection: { kind: 'disconnected' } })).toEqual(['canReconnect', 'canForget']);
    expect(capabilities({ connection: { kind: 'needsUser', sinceMs: now, failure } })).toEqual([
      'canReconnect',
      'canForget',
    ]);
    expect(
      capabilities({ connection: { kind: 'waiting', sinceMs: now, retryAtMs: now, attempt: 1, failure } }),
    ).toEqual(['canReconnect', 'canDisconnect', 'canForget']);
  });
});

describe('whatever a host says', () => {
  const hostile = fc.oneof(
    fc.string({ unit: 'binary' }),
    fc.constantFrom(
      '[x](command:a)',
      '$(error)',
      '\u202egnp',
      '\u001b]8;;http://a\u0007b',
      '| a |',
      '<b>',
      'x'.repeat(10_000),
    ),
  );

  it('its rows are plain, and their ids are unique', () => {
    fc.assert(
      fc.property(hostile, hostile, hostile, fc.boolean(), (a, b, c, twins) => {
        const gpus = [busyGpu(0, { name: a, uuid: b }), busyGpu(1, { name: b, uuid: twins ? b : c })];
        const migDevices = [{ index: 0, uuid: c, profile: a }];
        const connection = {
          kind: 'waiting',
          sinceMs: now,
          retryAtMs: now,
          attempt: 1,
          failure: failureOf('lost', `It failed: ${a}`),
        } as const;
        const processes = [1, 2, 2].map(pid => gpuProcess(0, pid, { gpu: b, name: c, user: a }));
        const state = stateOf(
          host({
            name: a,
            gpus: [...gpus, gpu(2, { migDevices })],
            processes,
            snapshot: { error: 'unknown', message: c },
          }),
          host({ name: `${a}2`, gpus, processes, connection }),
        );
        const nodes = allNodes(hostsTree(state, now));
        expect(new Set(nodes.map(node => node.id)).size).toBe(nodes.length);
        for (const node of nodes) {
          for (const text of [node.label, node.description, node.accessibilityLabel]) {
            expect(text).not.toMatch(/\$\(|\]\(|[\p{Cc}\p{Cf}\p{Cs}]/u);
            expect(text.length).toBeLessThan(1000);
          }
          expect(node.label).not.toBe('');
          if (node.tooltip !== null) expect(tooltipMarkdown(node.tooltip, null)).not.toMatch(/\]\(|\$\(|\u001b|\u202e/);
        }
      }),
    );
  });

  it('a process that is listed twice is two rows', () => {
    const nodes = allNodes(
      hostsTree(stateOf(host({ gpus: [busyGpu(0)], processes: [gpuProcess(0, 7), gpuProcess(0, 7)] })), now),
    );
    expect(nodes.filter(node => node.label === 'python3')).toHaveLength(2);
  });

  it('a card keeps its row while its numbers change', () => {
    const ids = (watts: number) =>
      allNodes(
        hostsTree(stateOf(host({ gpus: [busyGpu(0, { powerWatts: watts, memoryUsedBytes: watts * mib })] })), now),
      ).map(node => node.id);
    expect(ids(100)).toEqual(ids(500));
  });
});
