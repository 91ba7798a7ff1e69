import { expect, test } from 'vitest';
import { readNvidiaSmi } from '../../../src/core/gpu/nvidiaSmi';
import { check, gpuArgs, mib } from './check';

test('columns are known by the names in the header, whatever they were asked as', () => {
  check(
    {
      args: gpuArgs('gpu_uuid,gpu_name,clocks.sm,memory.used,index', 'csv'),
      text: 'uuid, name, clocks.current.sm [MHz], memory.used [MiB], index\nGPU-1, Tesla T4, 300 MHz, 3 MiB, 7\n',
    },
    { gpus: [{ index: 7, uuid: 'GPU-1', name: 'Tesla T4', memoryUsedBytes: mib(3) }] },
  );
});

test('without a header the aliases are resolved from the command line', () => {
  check(
    { args: gpuArgs('gpu_name,gpu_uuid,index', 'csv,noheader,nounits'), text: 'Tesla T4, GPU-1, 3\n' },
    { gpus: [{ index: 3, uuid: 'GPU-1', name: 'Tesla T4' }] },
  );
});

test('without units in the cells the header may still show them', () => {
  check(
    {
      args: gpuArgs('index,memory.total,power.draw', 'csv,nounits'),
      text: 'index, memory.total [MiB], power.draw [W]\n0, 81559, 65.10\n',
    },
    { gpus: [{ index: 0, memoryTotalBytes: mib(81559), powerWatts: 65.1 }] },
  );
});

test.each(['[N/A]', 'N/A', '', '[Not Supported]', '[Unknown Error]', '[Function Not Found]', 'ERR!', '[anything new]'])(
  'a cell that reads "%s" is no value, and the others stay',
  cell => {
    check(
      {
        args: gpuArgs('index,memory.used,utilization.gpu,power.draw,uuid,name'),
        text: `0, ${cell}, ${cell}, 9.50 W, ${cell}, NVIDIA L4\n`,
      },
      { gpus: [{ index: 0, name: 'NVIDIA L4', powerWatts: 9.5 }] },
    );
  },
);

test('an empty last cell is a cell, also where the blank after the comma was taken off', () => {
  const gpus = [{ index: 0, utilization: 4 }];
  check({ args: gpuArgs('index,utilization.gpu,serial'), text: '0, 4 %, \n' }, { gpus });
  check({ args: gpuArgs('index,utilization.gpu,serial'), text: '0, 4 %,\n' }, { gpus });
});

test('the "not available" of NVML that some drivers print as a number is not 16 EiB', () => {
  check({ args: gpuArgs('index,memory.used'), text: '0, 17592186044415 MiB\n' }, { gpus: [{ index: 0 }] });
});

test('the enforced limit stands in for a power limit that is not told', () => {
  const args = gpuArgs('index,power.limit,enforced.power.limit');
  check(
    { args, text: '0, [N/A], 70.00 W\n1, 300.00 W, 250.00 W\n' },
    {
      gpus: [
        { index: 0, powerLimitWatts: 70 },
        { index: 1, powerLimitWatts: 300 },
      ],
    },
  );
});

test('lines with another number of cells, or with no index where one was asked, are noise', () => {
  const result = readNvidiaSmi({
    args: gpuArgs('index,name'),
    exitCode: 0,
    text: 'srun: job 4 queued, waiting\nWarning, again\n0, NVIDIA L4\nConnection to node4 closed.\r\n',
  });
  expect(result.gpus.map(gpu => gpu.name)).toEqual(['NVIDIA L4']);
  expect(result.message).toBe('srun: job 4 queued, waiting\nWarning, again\nConnection to node4 closed.');
});

test("a container hook's lines are no GPUs, even where one column was asked", () => {
  check(
    { args: gpuArgs('name'), text: '[HAMI-core Msg(1:2:libvgpu.c:836)]: Initializing.....\nNVIDIA A10\n' },
    { gpus: [{ index: 0, name: 'NVIDIA A10' }] },
  );
});

test('a repeated dump counts by its last whole row of each device, wherever it was stopped', () => {
  const args = gpuArgs('index,utilization.gpu,power.draw', 'csv', ' -lms 500');
  const header = 'index, utilization.gpu [%], power.draw [W]\n';
  const first = '0, 10 %, 100.00 W\n1, 20 %, 200.00 W\n';
  const expected = (u0: number, u1: number) => ({
    gpus: [
      { index: 0, utilization: u0, powerWatts: u0 * 10 },
      { index: 1, utilization: u1, powerWatts: u1 * 10 },
    ],
  });
  check({ args, exitCode: null, text: `${header}${first}0, 30 %, 300.00 W\n` }, expected(30, 20));
  check({ args, exitCode: null, text: `${header}${first}0, 30 %, 300.00 W\n1, 4` }, expected(30, 20));
  check({ args, exitCode: null, text: `${header}${first}`.trimEnd() }, expected(10, 20));
  // Stopped inside the last cell: the right number of cells, and a wrong number in one.
  check({ args, exitCode: null, text: `${header}${first}0, 30 %, 3` }, expected(10, 20));
});

test('a repeated dump without any column that names the device is of one device', () => {
  const args = gpuArgs('utilization.gpu', 'csv,noheader,nounits', ' -l 1');
  check({ args, exitCode: 130, text: '1\n2\n3\n' }, { gpus: [{ index: 0, utilization: 3 }] });
});

test('rows of one tick share a time stamp, which tells devices from samples', () => {
  const args = gpuArgs('timestamp,utilization.gpu', 'csv,noheader,nounits', ' --loop=1');
  const text =
    '2026/01/01 10:00:00.100, 1\n2026/01/01 10:00:00.100, 2\n2026/01/01 10:00:01.100, 3\n2026/01/01 10:00:01.100, 4\n';
  check(
    { args, exitCode: null, text },
    {
      gpus: [
        { index: 0, utilization: 3 },
        { index: 1, utilization: 4 },
      ],
    },
  );
});

test('a bus id names the device where neither index nor uuid was asked', () => {
  const args = gpuArgs('pci.bus_id,utilization.gpu', 'csv,noheader,nounits', ' -l 1');
  const text = '00000000:01:00.0, 1\n00000000:02:00.0, 2\n00000000:01:00.0, 3\n00000000:02:00.0, 4\n';
  check(
    { args, exitCode: null, text },
    {
      gpus: [
        { index: 0, utilization: 3 },
        { index: 1, utilization: 4 },
      ],
    },
  );
});

test('output that ends inside a row is partial if the device is not known otherwise', () => {
  const args = gpuArgs('index,name,memory.used');
  check(
    { args, exitCode: null, text: '0, NVIDIA A10, 5 MiB\n1, NVIDI' },
    { gpus: [{ index: 0, name: 'NVIDIA A10', memoryUsedBytes: mib(5) }], partial: true },
  );
});

test('a lost card is told, with those that are well beside it', () => {
  check(
    { args: gpuArgs('index,uuid,memory.used'), exitCode: 0, text: '0, GPU-a, [GPU is lost]\n1, GPU-b, 5 MiB\n' },
    {
      gpus: [
        { index: 0, uuid: 'GPU-a', fault: 'lost' },
        { index: 1, uuid: 'GPU-b', memoryUsedBytes: mib(5) },
      ],
      error: 'gpuLost',
      partial: true,
    },
  );
});

test('a card whose handle failed is missing among the rows', () => {
  const lost =
    'Unable to determine the device handle for GPU0000:C1:00.0: GPU is lost.  Reboot the system to recover this GPU';
  check(
    { args: gpuArgs('index,memory.used'), exitCode: 15, text: `0, 5 MiB\n${lost}\n` },
    { gpus: [{ index: 0, memoryUsedBytes: mib(5) }], error: 'gpuLost', partial: true },
  );
  check({ args: gpuArgs('index,memory.used'), exitCode: 255, text: `${lost}\n` }, { error: 'gpuLost' });
});

test('a lone card that waits for a reset has a fault, and the memory it prints', () => {
  check(
    { args: gpuArgs('index,memory.used,utilization.gpu'), text: '0, 0 MiB, [GPU requires reset]\n' },
    { gpus: [{ index: 0, memoryUsedBytes: 0, fault: 'requiresReset' }] },
  );
});

test('permission is the error only where nobody may be read', () => {
  const args = gpuArgs('index,memory.used,memory.total');
  const denied = '[Insufficient Permissions], [Insufficient Permissions]';
  check({ args, text: `0, ${denied}\n` }, { gpus: [{ index: 0 }], error: 'permission' });
  check(
    { args, text: `0, ${denied}\n1, 1 MiB, 2 MiB\n` },
    {
      gpus: [{ index: 0 }, { index: 1, memoryUsedBytes: mib(1), memoryTotalBytes: mib(2) }],
      partial: true,
    },
  );
});

test('sixteen cards, two digits, out of order', () => {
  const rows = Array.from({ length: 16 }, (_, at) => 15 - at);
  check(
    { args: gpuArgs('index,temperature.gpu'), text: rows.map(at => `${at}, ${30 + at}\n`).join('') },
    { gpus: rows.map(index => ({ index, temperatureC: 30 + index })) },
  );
});

test('a query for devices that gives nothing at all has failed', () => {
  check({ args: gpuArgs('index,name'), text: '' }, { error: 'unknown' });
});

test('a card that has lost even its index keeps its place, tick after tick', () => {
  const tick = (percent: number) =>
    `0, GPU-a, ${percent} %\n[GPU is lost], [GPU is lost], [GPU is lost]\n2, GPU-c, ${percent} %\n`;
  check(
    { args: gpuArgs('index,uuid,utilization.gpu', 'csv,noheader', ' -l 1'), exitCode: null, text: tick(1) + tick(2) },
    {
      gpus: [
        { index: 0, uuid: 'GPU-a', utilization: 2 },
        { index: 1, fault: 'lost' },
        { index: 2, uuid: 'GPU-c', utilization: 2 },
      ],
      error: 'gpuLost',
      partial: true,
    },
  );
});

test('a card that appears in a later tick has its place there', () => {
  const args = gpuArgs('uuid,temperature.gpu', 'csv,noheader', ' -l 1');
  check(
    { args, exitCode: null, text: 'GPU-a, 1\nGPU-b, 2\nGPU-a, 3\nGPU-b, 4\nGPU-c, 5\n' },
    {
      gpus: [
        { index: 0, uuid: 'GPU-a', temperatureC: 3 },
        { index: 1, uuid: 'GPU-b', temperatureC: 4 },
        { index: 2, uuid: 'GPU-c', temperatureC: 5 },
      ],
    },
  );
});

test('an exit code of 15 and a failure in words are told beside good rows', () => {
  const row = '0, 5 MiB\n';
  const gpus = [{ index: 0, memoryUsedBytes: mib(5) }];
  const args = gpuArgs('index,memory.used');
  check({ args, exitCode: 15, text: row }, { gpus, error: 'gpuLost' });
  check(
    { args: `${args} -l 1`, exitCode: 255, text: `${row}Failed to initialize NVML: Driver/library version mismatch\n` },
    {
      gpus,
      error: 'driverMismatch',
    },
  );
});
