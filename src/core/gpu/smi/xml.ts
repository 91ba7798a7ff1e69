import type { ListedGpuProcess, GpuReading } from '../reading';
import { errorOfRows, failureOfFault, isMixed, type Outcome, type RowFailure } from './outcome';
import { deviceFaultOf, faultOf, isNoValue, readCount, readMemory, readNumber, readSwitch, readText } from './value';
import { childrenOf, find, parseXml, textOf, type XmlElement } from './xmlTree';

/**
 * Output of `-q -x`, DTD v6 (driver 340) to v13 (595). It has no index (minor_number is another number), so the order of the
 * devices is the index; MIG devices are listed without uuid or profile, so `migDevices` stays null.
 */
export function readXml(text: string): Outcome {
  const root = parseXml(text);
  const log = lastDocument(root);
  const whole = childrenOf(log, 'gpu').filter(gpu => gpu.closed);
  const cut = childrenOf(log, 'gpu').length - whole.length;

  const gpus = whole.map(toReading);
  const found = whole.flatMap((gpu, at) => processesOf(gpu, gpus[at]?.uuid ?? String(at)));
  const faults = gpus.map((gpu, at) => failureOf(gpu, whole[at]));
  const unreadableProcesses = found.map(process => process.pid === null);
  return {
    gpus,
    processes: found.filter(process => process.pid !== null),
    error: errorOfRows(faults) ?? (whole.length === 0 && attachedGpus(log) === 0 ? 'noDevices' : null),
    partial:
      isMixed(faults.map(fault => fault !== null)) || isMixed(unreadableProcesses) || (cut > 0 && whole.length > 0),
    noise: linesAround(text),
    mayBeEmpty: false,
  };
}

/** Loops print document after document: the last whole one, else what there is of the first. */
function lastDocument(root: XmlElement): XmlElement {
  const logs = childrenOf(root, 'nvidia_smi_log');
  return logs.findLast(log => log.closed) ?? logs[0] ?? root;
}

const attachedGpus = (log: XmlElement): number | null => readCount(textOf(find(log, 'attached_gpus')));

/** Up to v11 `power_readings`; the module's readings, which the GPUs of a superchip share, are never a card's own. */
const powerBlocks = ['gpu_power_readings', 'power_readings'];
const drawNames = ['power_draw', 'average_power_draw', 'instant_power_draw'];
const limitNames = ['power_limit', 'current_power_limit', 'enforced_power_limit'];

function toReading(gpu: XmlElement, index: number): GpuReading {
  const value = (...path: readonly string[]) => textOf(find(gpu, ...path));
  const watts = (names: readonly string[]): number | null => {
    for (const block of powerBlocks) {
      for (const name of names) {
        const number = readNumber(value(block, name), ['W']);
        if (number !== null) return number;
      }
    }
    return null;
  };
  return {
    index,
    uuid: readText(value('uuid')),
    name: readText(value('product_name')),
    memoryTotalBytes: readMemory(value('fb_memory_usage', 'total')),
    memoryUsedBytes: readMemory(value('fb_memory_usage', 'used')),
    utilization: readNumber(value('utilization', 'gpu_util'), ['%']),
    powerWatts: watts(drawNames),
    powerLimitWatts: watts(limitNames),
    temperatureC: readNumber(value('temperature', 'gpu_temp'), ['C']),
    migEnabled: readSwitch(value('mig_mode', 'current_mig')),
    migDevices: null,
    fault: faultWithin(gpu),
  };
}

/** Any value of the card may carry it, but the names of processes are not its values. */
function faultWithin(gpu: XmlElement): GpuReading['fault'] {
  return deviceFaultOf(leaves(gpu).map(leaf => leaf.raw));
}

function leaves(element: XmlElement): readonly XmlElement[] {
  const found: XmlElement[] = [];
  const waiting = [element];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    if (next.children.length === 0) found.push(next);
    for (const child of next.children) if (!processBlocks.includes(child.name)) waiting.push(child);
  }
  return found;
}

function failureOf(reading: GpuReading, gpu: XmlElement | undefined): RowFailure | null {
  if (reading.fault !== null) return failureOfFault[reading.fault];
  const measures = [
    ['fb_memory_usage', 'total'],
    ['fb_memory_usage', 'used'],
    ['utilization', 'gpu_util'],
    ['temperature', 'gpu_temp'],
  ].flatMap(path => textOf(find(gpu, ...path)) ?? []);
  if (reading.powerWatts !== null || measures.some(text => !isNoValue(text))) return null;
  const reason = measures.map(faultOf).find(fault => fault === 'permission' || fault === 'unknown');
  return reason ?? null;
}

/** `compute_processes` up to v6; `accounted_processes` are of the past. */
const processBlocks = ['processes', 'compute_processes', 'accounted_processes'];

function processesOf(gpu: XmlElement, key: string): readonly ListedGpuProcess[] {
  return ['processes', 'compute_processes']
    .flatMap(block => childrenOf(find(gpu, block), 'process_info'))
    .filter(process => process.closed)
    .map(process => ({
      gpu: key,
      pid: readCount(textOf(find(process, 'pid'))) || null,
      name: readText(textOf(find(process, 'process_name'))),
      memoryBytes: readMemory(textOf(find(process, 'used_memory'))),
    }));
}

/** Warnings that were printed before or after the document. */
function linesAround(text: string): readonly string[] {
  const begin = text.search(/<\?xml|<!DOCTYPE|<nvidia_smi_log/);
  const end = text.lastIndexOf('>');
  const around = begin < 0 ? text : `${text.slice(0, begin)}\n${end < begin ? '' : text.slice(end + 1)}`;
  return around.split('\n').filter(line => line.trim() !== '');
}
