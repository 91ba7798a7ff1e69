import { test } from 'vitest';
import { appArgs, check, mib } from './check';

test('a name may hold commas, quotes and what looks like an error', () => {
  const names = [
    '/a, b, c, d',
    'say "x"',
    "it's (1)",
    'No devices were found',
    '/x: GPU is lost',
    'a,b',
    '[x](command:y)',
    '$(error)',
  ];
  check(
    { args: appArgs(), text: names.map((name, at) => `GPU-1, ${at + 100}, ${name}, ${at} MiB\n`).join('') },
    { processes: names.map((name, at) => ({ gpu: 'GPU-1', pid: at + 100, name, memoryBytes: mib(at) })) },
  );
});

test('the name is found between fixed columns on both sides, in any order', () => {
  check(
    {
      args: appArgs('used_memory,name,pid,gpu_uuid', 'csv'),
      text: 'used_gpu_memory [MiB], process_name, pid, gpu_uuid\r\n5 MiB, a, 7, b, 42, MIG-1\r\n',
    },
    { processes: [{ gpu: 'MIG-1', pid: 42, name: 'a, 7, b', memoryBytes: mib(5) }] },
  );
});

test('a name in another pid namespace is unknown, the process is not', () => {
  check(
    {
      args: appArgs(),
      text: 'GPU-1, 42, [Not Found], 5 MiB\nGPU-1, 43, [Insufficient Permissions], [N/A]\nGPU-1, 44, N/A, 1 MiB\n',
    },
    {
      processes: [
        { gpu: 'GPU-1', pid: 42, name: null, memoryBytes: mib(5) },
        { gpu: 'GPU-1', pid: 43, name: null, memoryBytes: null },
        { gpu: 'GPU-1', pid: 44, name: null, memoryBytes: mib(1) },
      ],
    },
  );
});

test('one process on two GPUs is two rows', () => {
  check(
    { args: appArgs(), text: 'GPU-1, 42, python, 5 MiB\nGPU-2, 42, python, 6 MiB\n' },
    {
      processes: [
        { gpu: 'GPU-1', pid: 42, name: 'python', memoryBytes: mib(5) },
        { gpu: 'GPU-2', pid: 42, name: 'python', memoryBytes: mib(6) },
      ],
    },
  );
});

test('where no pid was asked, a row is a process all the same', () => {
  check(
    { args: appArgs('gpu_uuid,used_memory'), text: 'GPU-1, 5 MiB\n' },
    { processes: [{ gpu: 'GPU-1', pid: null, name: null, memoryBytes: mib(5) }] },
  );
});

test('rows that may not be read are no processes; if there are no others, that is the error', () => {
  const denied = 'GPU-1, [Insufficient Permissions], [Insufficient Permissions], [Insufficient Permissions]\n';
  check({ args: appArgs(), text: denied }, { error: 'permission' });
  check(
    { args: appArgs(), text: `${denied}GPU-1, 7, x, 1 MiB\n` },
    {
      processes: [{ gpu: 'GPU-1', pid: 7, name: 'x', memoryBytes: mib(1) }],
      partial: true,
    },
  );
});

test('nothing at all is an empty list', () => {
  check({ args: appArgs(), text: '' }, {});
  check({ args: appArgs(), text: 'WARNING: infoROM is corrupted at gpu 0000:01:00.0\n', exitCode: 14 }, {});
});

test('WSL lists programs of Windows, whose memory is never told', () => {
  check(
    { args: appArgs(), text: 'GPU-1, 4, [Insufficient Permissions], [N/A]\r\n' },
    { processes: [{ gpu: 'GPU-1', pid: 4, name: null, memoryBytes: null }] },
  );
});

test('of a repeated dump the last sample counts, so that an ended process goes', () => {
  check(
    { args: `${appArgs()} -l 1`, exitCode: null, text: 'GPU-1, 7, a, 1 MiB\nGPU-1, 8, b, 2 MiB\nGPU-1, 8, b, 3 MiB\n' },
    { processes: [{ gpu: 'GPU-1', pid: 8, name: 'b', memoryBytes: mib(3) }] },
  );
});
