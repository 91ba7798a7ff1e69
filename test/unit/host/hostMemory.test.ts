import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseHostMemory, type HostMemory } from '../../../src/core/host/hostMemory';

const gib = 2 ** 30;
const machine = [
  '/proc/meminfo:MemTotal:       65536000 kB',
  '/proc/meminfo:MemAvailable:   48000000 kB',
  '/proc/vmstat:oom_kill 3',
  '/proc/pressure/memory:some avg10=1.25 avg60=0.40 avg300=0.10 total=123456',
];

const v2 = (path: string, limit: string, usage: number, inactive: number): string[] => [
  `${path}/memory.max:${limit}`,
  `${path}/memory.current:${usage}`,
  `${path}/memory.stat:inactive_file ${inactive}`,
];
const v1 = (path: string, limit: string, usage: number, inactive: number): string[] => [
  `${path}/memory.limit_in_bytes:${limit}`,
  `${path}/memory.usage_in_bytes:${usage}`,
  `${path}/memory.stat:inactive_file 1`,
  `${path}/memory.stat:total_inactive_file ${inactive}`,
];
const unlimitedV1 = '9223372036854771712';

const check = (lines: readonly string[], expected: Partial<HostMemory>): void =>
  expect(parseHostMemory(lines)).toMatchObject(expected);

describe('host memory', () => {
  it('is that of the machine where no cgroup limits it', () =>
    expect(parseHostMemory(machine)).toEqual({
      totalBytes: 65_536_000 * 1024,
      availableBytes: 48_000_000 * 1024,
      limitedBy: { kind: 'machine' },
      oomKills: 3,
      pressureSome10: 1.25,
    }));

  it('does not know what the host does not say', () =>
    expect(parseHostMemory([])).toEqual({
      totalBytes: null,
      availableBytes: null,
      limitedBy: { kind: 'machine' },
      oomKills: null,
      pressureSome10: null,
    }));

  it('leaves page cache out of what a version 2 cgroup uses', () =>
    check([...machine, ...v2('/sys/fs/cgroup/user.slice', String(8 * gib), 7 * gib, 2 * gib)], {
      totalBytes: 8 * gib,
      availableBytes: 3 * gib,
      limitedBy: { kind: 'cgroup', path: '/sys/fs/cgroup/user.slice' },
    }));

  it('counts the page cache of the whole subtree in version 1', () =>
    check([...machine, ...v1('/sys/fs/cgroup/memory/job', String(8 * gib), 7 * gib, 2 * gib)], {
      totalBytes: 8 * gib,
      availableBytes: 3 * gib,
      limitedBy: { kind: 'cgroup', path: '/sys/fs/cgroup/memory/job' },
    }));

  it('takes neither "max" nor the largest number of version 1 for a limit', () => {
    const unlimited = [
      ...v2('/sys/fs/cgroup/user.slice', 'max', 60 * gib, 0),
      ...v1('/sys/fs/cgroup/memory', unlimitedV1, 60 * gib, 0),
    ];
    check([...machine, ...unlimited], { availableBytes: 48_000_000 * 1024, limitedBy: { kind: 'machine' } });
    check(unlimited, { totalBytes: null, availableBytes: null, limitedBy: { kind: 'machine' } });
  });

  it('takes the tightest of nested limits, for the total and for what is left, each by itself', () => {
    const user = '/sys/fs/cgroup/user.slice/user-1000.slice';
    check(
      [
        ...machine,
        ...v2(`${user}/session-3.scope`, String(4 * gib), gib, 0),
        ...v2(user, String(16 * gib), 15 * gib, gib / 2),
        ...v2('/sys/fs/cgroup/user.slice', 'max', 20 * gib, 0),
      ],
      {
        totalBytes: 4 * gib,
        availableBytes: 1.5 * gib,
        limitedBy: { kind: 'cgroup', path: `${user}/session-3.scope` },
      },
    );
  });

  it('reads a hybrid host, where version 1 holds the memory', () =>
    check(
      [
        ...machine,
        ...v1('/sys/fs/cgroup/memory/user.slice', String(10 * gib), 4 * gib, 0),
        '/sys/fs/cgroup/unified/memory.stat:inactive_file 5',
      ],
      { totalBytes: 10 * gib, availableBytes: 6 * gib },
    ));

  it('reads a container, where only the root of its own namespace is to be seen', () =>
    check([...machine, ...v2('/sys/fs/cgroup', String(2 * gib), 3 * gib, 0)], {
      totalBytes: 2 * gib,
      availableBytes: 0,
      limitedBy: { kind: 'cgroup', path: '/sys/fs/cgroup' },
    }));

  it('does not mind colons and blanks in the name of a cgroup', () =>
    check([...machine, ...v2('/sys/fs/cgroup/pods:cri-containerd:ab c', String(gib), 0, 0)], {
      limitedBy: { kind: 'cgroup', path: '/sys/fs/cgroup/pods:cri-containerd:ab c' },
      availableBytes: gib,
    }));

  it('never offers more than the limit, also where its usage is not told', () =>
    check([...machine, `/sys/fs/cgroup/memory.max:${gib}`], { totalBytes: gib, availableBytes: gib }));

  it('stays within its bounds whatever the levels say, and never throws', () => {
    const amount = fc.nat({ max: 128 }).map(n => n * gib);
    const level = fc.tuple(fc.constantFrom('/a', '/a/b', '/a/b/c'), fc.option(amount), amount, amount);
    fc.assert(
      fc.property(fc.array(level), fc.array(fc.string()), (levels, noise) => {
        const lines = levels.flatMap(([path, limit, usage, inactive]) =>
          v2(path, String(limit ?? 'max'), usage, inactive),
        );
        const memory = parseHostMemory([...noise, ...machine, ...lines]);
        expect(memory.totalBytes).toBeLessThanOrEqual(65_536_000 * 1024);
        expect(memory.availableBytes).toBeLessThanOrEqual(Math.min(memory.totalBytes ?? 0, 48_000_000 * 1024));
        expect(memory.availableBytes).toBeGreaterThanOrEqual(0);
        expect(memory.limitedBy.kind).toBe(memory.totalBytes === 65_536_000 * 1024 ? 'machine' : 'cgroup');
      }),
    );
  });
});
