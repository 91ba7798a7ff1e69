/**
 * Numbers as people read them. The only place where a unit of memory is written: GiB everywhere, bytes inside. What is not
 * available reads "n/a", never 0.
 */
const notAvailable = 'n/a';
const separator = ' · ';

const gibibyte = 2 ** 30;

/** "39.8 GiB"; "0 GiB"; "<0.1 GiB" for what would round to nothing. */
export function formatGiB(bytes: number | null): string {
  return isNumber(bytes) ? `${gibNumber(bytes)} GiB` : notAvailable;
}

/** "39.8/95.6 GiB"; "39.8 GiB" when the total is not known. */
export function formatGiBPair(usedBytes: number | null, totalBytes: number | null): string {
  return pair(usedBytes, totalBytes, gibNumber, 'GiB');
}

/** "401 of 432 GiB": whole numbers from 100 GiB on, where a tenth says nothing. */
export function formatGiBOf(partBytes: number | null, totalBytes: number | null): string {
  if (!isNumber(totalBytes)) return formatGiB(partBytes);
  const whole = totalBytes >= 100 * gibibyte;
  const number = (bytes: number) => (whole ? String(Math.floor(bytes / gibibyte)) : gibNumber(bytes));
  return `${isNumber(partBytes) ? number(partBytes) : notAvailable} of ${number(totalBytes)} GiB`;
}

/** "39.8 of 95.6 gibibytes", for a screen reader. */
export function spellGiBPair(usedBytes: number | null, totalBytes: number | null): string | null {
  if (!isNumber(usedBytes)) return null;
  const used = Math.round(usedBytes / gibibyte);
  return isNumber(totalBytes) ? `${used} of ${Math.round(totalBytes / gibibyte)} gibibytes` : `${used} gibibytes`;
}

/** "about 400 of 600 watts", for a screen reader: to the nearest 50, for it is not told of every watt. */
export function spellCoarseWatts(watts: number | null, limitWatts: number | null): string | null {
  if (!isNumber(watts)) return null;
  const coarse = Math.round(watts / 50) * 50;
  return isNumber(limitWatts) ? `about ${coarse} of ${Math.round(limitWatts)} watts` : `about ${coarse} watts`;
}

/** "412 W" */
export function formatWatts(watts: number | null): string {
  return isNumber(watts) ? `${Math.round(watts)} W` : notAvailable;
}

/** "412/600 W"; "412 W" when the limit is not known. */
export function formatWattsPair(watts: number | null, limitWatts: number | null): string {
  return pair(watts, limitWatts, value => String(Math.round(value)), 'W');
}

/** "250 of 600 W", for a sentence. */
export function formatWattsOf(watts: number | null, limitWatts: number | null): string {
  return formatWattsPair(watts, limitWatts).replace('/', ' of ');
}

/** "98 %" */
export function formatPercent(percent: number | null): string {
  return isNumber(percent) ? `${Math.round(percent)} %` : notAvailable;
}

/** "61 °C" */
export function formatCelsius(celsius: number | null): string {
  return isNumber(celsius) ? `${Math.round(celsius)} °C` : notAvailable;
}

/** "12 s", "9 min 46 s", "2 h 5 min", "3 d 4 h": the two largest units, cut, not rounded. */
export function formatDuration(ms: number): string {
  const [days, hours, minutes, seconds] = parts(ms);
  if (days > 0) return two(days, 'd', hours, 'h');
  if (hours > 0) return two(hours, 'h', minutes, 'min');
  if (minutes > 0) return two(minutes, 'min', seconds, 's');
  return `${seconds} s`;
}

/** "12 s ago", "2 min ago", "3 h ago", "2 d ago": the largest unit alone. */
export function formatAge(ms: number): string {
  return `${formatRough(ms)} ago`;
}

/** "12 s", "2 min", "3 h", "2 d" */
export function formatRough(ms: number): string {
  const [days, hours, minutes, seconds] = parts(ms);
  if (days > 0) return `${days} d`;
  if (hours > 0) return `${hours} h`;
  if (minutes > 0) return `${minutes} min`;
  return `${seconds} s`;
}

/** "412/600 W · 98 %": leaves out what is not there. */
export function joinParts(texts: readonly (string | null)[]): string {
  return texts.filter(text => text !== null && text !== '' && text !== notAvailable).join(separator);
}

function isNumber(value: number | null): value is number {
  return value !== null && Number.isFinite(value);
}

function gibNumber(bytes: number): string {
  if (bytes === 0) return '0';
  const text = (bytes / gibibyte).toFixed(1);
  return text === '0.0' ? '<0.1' : text;
}

function pair(part: number | null, whole: number | null, number: (value: number) => string, unit: string): string {
  if (!isNumber(part)) return isNumber(whole) ? `${notAvailable} of ${number(whole)} ${unit}` : notAvailable;
  return isNumber(whole) ? `${number(part)}/${number(whole)} ${unit}` : `${number(part)} ${unit}`;
}

function two(large: number, largeUnit: string, small: number, smallUnit: string): string {
  return small > 0 ? `${large} ${largeUnit} ${small} ${smallUnit}` : `${large} ${largeUnit}`;
}

function parts(ms: number): readonly [days: number, hours: number, minutes: number, seconds: number] {
  const seconds = Number.isFinite(ms) ? Math.max(0, Math.floor(ms / 1000)) : 0;
  return [Math.floor(seconds / 86_400), Math.floor(seconds / 3600) % 24, Math.floor(seconds / 60) % 60, seconds % 60];
}
