import type { GpuFault, GpuReading } from '../reading';
import { gpuField, type TableQuery } from './invocation';
import { errorOfRows, failureOfFault, isMixed, type Outcome, type RowFailure } from './outcome';
import { readTable, type Row } from './rows';
import { deviceFaultOf, faultOf, isNoValue, readCount, readMemory, readNumber, readSwitch, readText } from './value';

/** The columns that tell how a device is doing, as against what it is. */
const measures = [
  'memory.total',
  'memory.used',
  'utilization.gpu',
  'temperature.gpu',
  'power.draw',
  'power.limit',
  'enforced.power.limit',
] as const;

/**
 * Output of `--query-gpu`. A repeated dump (-l, -lms) has one row per device and tick with no mark between ticks: the same
 * device again begins a new sample, and the last whole row of each device counts.
 */
export function readGpuRows(
  lines: readonly string[],
  terminated: boolean,
  query: TableQuery,
  stopped: boolean,
): Outcome {
  const table = readTable(lines, terminated, { ...query, field: gpuField, freeColumn: null, plausible });
  const cutShort = stopped && query.loop && !terminated && table.cut === null;
  const devices = lastRows(cutShort ? withoutDoubtfulEnd(table.rows) : table.rows, query.loop);

  const gpus = devices.map(({ row, index }) => toReading(row, index));
  const faults = devices.map(({ row }, at) => failureOf(row, gpus[at]?.fault ?? null));
  const cutIndex = table.cut === null ? null : readCount(table.cut[table.columns.indexOf('index')]);
  const cutDevice = cutIndex !== null && gpus.length > 0 && gpus.every(gpu => gpu.index !== cutIndex);
  return {
    gpus,
    processes: [],
    error: errorOfRows(faults),
    partial: isMixed(faults.map(fault => fault !== null)) || cutDevice,
    noise: table.noise,
    mayBeEmpty: false,
  };
}

/** A dump that was stopped inside its last cell still has the right number of cells: what the device said before is whole. */
function withoutDoubtfulEnd(rows: readonly Row[]): readonly Row[] {
  const last = rows.at(-1);
  const before = rows.slice(0, -1);
  return last !== undefined && before.some(row => deviceKey(row) === deviceKey(last)) ? before : rows;
}

/** Free text with commas can have the right number of cells by chance; an index and measures cannot be anything. */
function plausible(row: Row): boolean {
  const index = row.get('index');
  if (index !== undefined) return readCount(index) !== null || isNoValue(index);
  const asked = measures.flatMap(name => row.get(name) ?? []);
  return asked.length === 0 || asked.some(cell => /^\d/.test(cell) || isNoValue(cell));
}

interface DeviceRow {
  readonly row: Row;
  readonly index: number;
}

function lastRows(rows: readonly Row[], loop: boolean): readonly DeviceRow[] {
  const devices = new Map<string, DeviceRow>();
  const anonymous = rows.every(row => deviceKey(row) === null);
  let seenInSample = new Set<string>();
  let previous: Row | null = null;
  for (const row of rows) {
    const key = deviceKey(row);
    const newSample = anonymous ? loop && isNewTick(row, previous) : key !== null && seenInSample.has(key);
    if (newSample) seenInSample = new Set();
    const place = seenInSample.size;
    const name = key ?? `place ${place}`;
    seenInSample.add(name);
    devices.set(name, { row, index: readCount(row.get('index')) ?? devices.get(name)?.index ?? place });
    previous = row;
  }
  return [...devices.values()];
}

/** Where no column names the device: rows of one tick share a time stamp, and without one each row is taken for a tick. */
function isNewTick(row: Row, previous: Row | null): boolean {
  const stamp = row.get('timestamp');
  return stamp === undefined || stamp !== previous?.get('timestamp');
}

/** What tells one device from another, by the first of these columns that can be read; null where only the place is left. */
function deviceKey(row: Row): string | null {
  for (const column of ['index', 'uuid', 'pci.bus_id', 'serial']) {
    const cell = readText(row.get(column));
    if (cell !== null) return `${column} ${cell}`;
  }
  return null;
}

function toReading(row: Row, index: number): GpuReading {
  return {
    index,
    uuid: readText(row.get('uuid')),
    name: readText(row.get('name')),
    memoryTotalBytes: readMemory(row.get('memory.total')),
    memoryUsedBytes: readMemory(row.get('memory.used')),
    utilization: readNumber(row.get('utilization.gpu'), ['%']),
    powerWatts: readNumber(row.get('power.draw'), ['W']),
    powerLimitWatts: readNumber(row.get('power.limit'), ['W']) ?? readNumber(row.get('enforced.power.limit'), ['W']),
    temperatureC: readNumber(row.get('temperature.gpu'), ['C']),
    migEnabled: readSwitch(row.get('mig.mode.current')),
    migDevices: null,
    fault: deviceFaultOf([...row.values()]),
  };
}

/** Why a row says nothing of use; null when it does, or when the device simply has nothing to say ([N/A]). */
function failureOf(row: Row, fault: GpuFault | null): RowFailure | null {
  if (fault !== null) return failureOfFault[fault];
  const cells = measures.flatMap(name => row.get(name) ?? []);
  const reason = cells.map(faultOf).find(found => found !== null);
  return reason === undefined || cells.some(cell => !isNoValue(cell)) ? null : failureOfFault[reason];
}
