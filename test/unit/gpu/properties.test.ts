import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { readNvidiaSmi } from '../../../src/core/gpu/nvidiaSmi';
import { baseFields, gpuQuery, listQuery, processQuery } from '../../../src/core/gpu/query';
import type { GpuReading, GpuToolResult } from '../../../src/core/gpu/reading';
import { appArgs, blankGpu, gpuArgs, mib } from './check';

const commands = [
  gpuQuery(baseFields),
  `${gpuArgs('name')} -l 1`,
  processQuery,
  listQuery,
  'nvidia-smi -q -x',
  'nvidia-smi',
  'rocm-smi',
];
const exitCodes = fc.constantFrom(null, 0, 2, 9, 14, 15, 255);

/** Text made of what the tool does print, in any order and cut anywhere, among bytes of any kind. */
const shreds = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ', ',
        ',',
        '\n',
        '\r\n',
        '0',
        '1, GPU-1',
        ' MiB',
        '[N/A]',
        '[GPU is lost]',
        'GPU 0: ',
        '(UUID: ',
        ')',
        '  MIG 1g Device 0: ',
      ),
      fc.constantFrom(
        '<gpu id="x">',
        '</gpu>',
        '<nvidia_smi_log>',
        '</nvidia_smi_log>',
        '<pid>',
        '</pid>',
        '<process_info>',
        '&#x;',
        '&#1114112;',
      ),
      fc.constantFrom(
        '<fb_memory_usage><used>',
        '</used></fb_memory_usage>',
        '99999999999999999999',
        '1e999',
        '-1',
        '0.1.2',
        'NaN',
        'Infinity W',
      ),
      fc.string({ unit: 'binary', maxLength: 12 }),
    ),
    { maxLength: 60 },
  )
  .map(parts => parts.join(''));
const bytes = fc.uint8Array({ maxLength: 400 }).map(array => new TextDecoder().decode(array));

test('no text whatever makes it throw, and every number is a number that is not negative', () => {
  fc.assert(
    fc.property(fc.constantFrom(...commands), exitCodes, fc.oneof(shreds, bytes), (args, exitCode, text) => {
      const result = readNvidiaSmi({ args, exitCode, text });
      for (const number of numbersOf(result)) expect(Number.isFinite(number) && number >= 0, String(number)).toBe(true);
      for (const gpu of result.gpus) expect(isWhole(gpu.memoryUsedBytes) && isWhole(gpu.memoryTotalBytes)).toBe(true);
      if (result.gpus.length + result.processes.length === 0) expect(result.partial).toBe(false);
    }),
    { numRuns: 1000 },
  );
});

const isWhole = (value: number | null): boolean => value === null || Number.isInteger(value);

const numbersOf = (value: GpuToolResult | object): readonly number[] =>
  Object.values(value).flatMap((item: unknown) =>
    typeof item === 'number' ? [item] : typeof item === 'object' && item !== null ? numbersOf(item) : [],
  );

test('command lines of any kind are understood or refused', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.string(), (before, after) => {
      readNvidiaSmi({ args: `${before} nvidia-smi ${after}`, exitCode: 0, text: '0, 1\n' });
    }),
  );
});

const name = fc.constantFrom('NVIDIA A10', 'Tesla T4', 'Orin (nvgpu)', 'NVIDIA "odd" card');
const orNull = <T>(value: fc.Arbitrary<T>) => fc.option(value, { freq: 5 });
const cents = (max: number) => fc.integer({ min: 0, max: max * 100 }).map(value => value / 100);
const reading: fc.Arbitrary<GpuReading> = fc
  .record({
    name: orNull(name),
    memoryTotalBytes: orNull(fc.nat(2 ** 30).map(mib)),
    memoryUsedBytes: orNull(fc.nat(2 ** 30).map(mib)),
    utilization: orNull(fc.nat(100)),
    powerWatts: orNull(cents(1500)),
    powerLimitWatts: orNull(cents(1500)),
    temperatureC: orNull(fc.nat(120)),
  })
  .map(some => ({ ...blankGpu, ...some }));
const readings = fc
  .array(reading, { minLength: 1, maxLength: 16 })
  .map(list => list.map((gpu, index) => ({ ...gpu, index, uuid: `GPU-${index}` })));

const inMib = (bytes: number | null): string | null => (bytes === null ? null : String(bytes / 2 ** 20));
const columns: readonly (readonly [field: string, unit: string, cell: (gpu: GpuReading) => string | null])[] = [
  ['index', '', gpu => String(gpu.index)],
  ['uuid', '', gpu => gpu.uuid],
  ['name', '', gpu => gpu.name],
  ['memory.total', 'MiB', gpu => inMib(gpu.memoryTotalBytes)],
  ['memory.used', 'MiB', gpu => inMib(gpu.memoryUsedBytes)],
  ['utilization.gpu', '%', gpu => gpu.utilization?.toString() ?? null],
  ['temperature.gpu', '', gpu => gpu.temperatureC?.toString() ?? null],
  ['power.draw', 'W', gpu => gpu.powerWatts?.toFixed(2) ?? null],
  ['power.limit', 'W', gpu => gpu.powerLimitWatts?.toFixed(2) ?? null],
];

test('what is printed in any order of fields, with or without header and units, is what is read', () => {
  const order = fc.shuffledSubarray([...columns], { minLength: columns.length });
  const noise = fc.constantFrom(
    '',
    'WARNING: infoROM is corrupted at gpu 0000:01:00.0',
    '[HAMI-core Msg(1:2:a.c:3)]: x',
    'bye',
  );
  fc.assert(
    fc.property(
      readings,
      order,
      fc.boolean(),
      fc.boolean(),
      fc.boolean(),
      noise,
      (gpus, fields, header, units, crlf, line) => {
        const row = (gpu: GpuReading) =>
          fields
            .map(([, unit, cell]) => cell(gpu)?.concat(units && unit !== '' ? ` ${unit}` : '') ?? '[N/A]')
            .join(', ');
        const head = fields.map(([field, unit]) => (unit === '' ? field : `${field} [${unit}]`)).join(', ');
        const lines = [line, ...(header ? [head] : []), ...gpus.map(row), line];
        const format = ['csv', ...(header ? [] : ['noheader']), ...(units ? [] : ['nounits'])].join(',');
        const args = gpuArgs(fields.map(([field]) => field).join(','), format);
        const result = readNvidiaSmi({
          args,
          exitCode: 0,
          text: lines.map(text => text + (crlf ? '\r\n' : '\n')).join(''),
        });
        expect(result.gpus).toEqual(gpus);
        expect([result.error, result.partial]).toEqual([null, false]);
      },
    ),
  );
});

test('a dump that is stopped anywhere tells, of each device, its last whole row', () => {
  const args = gpuArgs('index,utilization.gpu,power.draw', 'csv', ' -lms 100');
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.integer({ min: 1, max: 5 }), fc.nat(), (cards, ticks, where) => {
      const header = 'index, utilization.gpu [%], power.draw [W]\n';
      const rows = Array.from({ length: cards * ticks }, (_, at) => ({
        index: at % cards,
        tick: Math.floor(at / cards),
      }));
      const text = header + rows.map(({ index, tick }) => `${index}, ${tick} %, ${tick}.00 W\n`).join('');
      const end = header.length + (where % (text.length - header.length + 1));
      const whole = rows.slice(0, text.slice(header.length, end).split('\n').length - 1);
      const result = readNvidiaSmi({ args, exitCode: null, text: text.slice(0, end) });
      for (const index of new Set(whole.map(row => row.index))) {
        const last = whole.findLast(row => row.index === index);
        expect(result.gpus.find(gpu => gpu.index === index)?.utilization).toBe(last?.tick);
      }
    }),
  );
});

test('a process name of any characters comes back as it went out', () => {
  const text = fc
    .string({ unit: 'grapheme', minLength: 1 })
    .filter(candidate => !/[\r\n]|^\[|^ | $/.test(candidate) && isName(candidate));
  fc.assert(
    fc.property(fc.array(text, { maxLength: 5 }), names => {
      const printed = names.map((process, at) => `GPU-1, ${at + 1}, ${process}, ${at} MiB\n`).join('');
      const result = readNvidiaSmi({ args: appArgs(), exitCode: 0, text: printed });
      expect(result.processes).toEqual(
        names.map((process, at) => ({ gpu: 'GPU-1', pid: at + 1, name: process, memoryBytes: mib(at) })),
      );
    }),
  );
});

/** Not one of the words that stand for "no name". */
const isName = (text: string): boolean => !/^(|n\/a|none|err!|no permission)$/i.test(text.trim());

test('the time it takes grows with the size of the text, not faster', () => {
  const hostile = [
    '<'.repeat(3e5),
    '<a'.repeat(1.5e5),
    '<a>'.repeat(1e5),
    '</a>'.repeat(1e5),
    'a, '.repeat(1e5),
    '['.repeat(3e5),
    'GPU 0: '.repeat(5e4),
  ];
  for (const text of hostile) {
    for (const args of commands) {
      const start = performance.now();
      readNvidiaSmi({ args, exitCode: 0, text });
      expect(performance.now() - start, `${args}: ${text.slice(0, 10)}`).toBeLessThan(2000);
    }
  }
});
