import type { GpuFault } from '../reading';

/**
 * One value as nvidia-smi prints it: a CSV cell ("8192 MiB", "[N/A]") or the text of an XML element (the same words without
 * brackets). Whatever cannot be read is "not available", which is null.
 */
const numberWithUnit = /^(\d{1,16}(?:\.\d{1,9})?)(?: ?([A-Za-z%]+))?$/;

/** Any bracketed cell is no value, also one that nobody has seen yet; of the bare words, these. */
const bracketed = /^\[[^[\]]*\]$/;
const bareWords: ReadonlySet<string> = new Set([
  '',
  'n/a',
  'none',
  'err!',
  'not supported',
  'not found',
  'function not found',
  'unknown error',
  'insufficient permissions',
  'no permission',
  'gpu is lost',
  'gpu requires reset',
  'requested functionality has been deprecated',
]);

/** NVML_VALUE_NOT_AVAILABLE, 2^64 - 1 bytes: what NVML answers for a process's memory under WDDM (nvmlProcessInfo_t). */
const unavailableMebibytes = 2 ** 44 - 1;

/** Early drivers wrote "MB" for what they counted in MiB. */
const mebibytesPer: Readonly<Record<string, number>> = { MiB: 1, MB: 1, GiB: 1024, KiB: 1 / 1024 };

export function isNoValue(text: string): boolean {
  return bracketed.test(text) || bareWords.has(text.toLowerCase());
}

/** A name or an id; null where the tool has none to give. */
export function readText(text: string | null | undefined): string | null {
  return text === null || text === undefined || isNoValue(text.trim()) ? null : text;
}

/** A number in any of `units`, or without one (`nounits`, temperatures). */
export function readNumber(text: string | null | undefined, units: readonly string[]): number | null {
  const [, digits, unit] = numberWithUnit.exec(text?.trim() ?? '') ?? [];
  if (digits === undefined || (unit !== undefined && !units.includes(unit))) return null;
  return Number(digits);
}

/** A count: digits only, small enough to be exact. */
export function readCount(text: string | null | undefined): number | null {
  const value = /^\d{1,16}$/.test(text?.trim() ?? '') ? Number(text) : null;
  return value !== null && Number.isSafeInteger(value) ? value : null;
}

/** Memory in bytes. Without a unit the number counts MiB. */
export function readMemory(text: string | null | undefined): number | null {
  const [, digits, unit = 'MiB'] = numberWithUnit.exec(text?.trim() ?? '') ?? [];
  const factor = mebibytesPer[unit];
  if (digits === undefined || factor === undefined) return null;
  const mebibytes = Number(digits) * factor;
  if (mebibytes === unavailableMebibytes || mebibytes > Number.MAX_SAFE_INTEGER) return null;
  // A power of two scales a double without rounding, so whole MiB give exact bytes.
  return Math.round(mebibytes * 2 ** 20);
}

export function readSwitch(text: string | null | undefined): boolean | null {
  const word = text?.trim();
  return word === 'Enabled' ? true : word === 'Disabled' ? false : null;
}

/** Why a value is not there, where that says something about the whole device. */
export type ValueFault = GpuFault | 'permission' | 'unknown';

/** What is wrong with a device by its values. One such value is enough: the others may still read 0. */
export function deviceFaultOf(texts: readonly string[]): GpuFault | null {
  const faults = texts.map(faultOf);
  return faults.includes('lost') ? 'lost' : faults.includes('requiresReset') ? 'requiresReset' : null;
}

export function faultOf(text: string): ValueFault | null {
  switch (
    text
      .trim()
      .replace(/^\[|\]$/g, '')
      .toLowerCase()
  ) {
    case 'gpu is lost':
      return 'lost';
    case 'gpu requires reset':
      return 'requiresReset';
    case 'insufficient permissions':
    case 'no permission':
      return 'permission';
    case 'unknown error':
      return 'unknown';
    default:
      return null;
  }
}
