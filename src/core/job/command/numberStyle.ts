/** A number as programs take it on a command line: `8192`, `32_768`, `.8`, `1e5`, `24k`, `128K`. */
const number = /^([+-]?)(\d[\d_]*)?(?:(\.)(\d*))?(?:e([+-]?\d+))?([kKmM])?$/i;

/** vLLM's meaning, which others follow: `k` is 1000 and `K` is 1024 (`human_readable_int` in vllm/engine/arg_utils.py). */
const suffixes: Readonly<Record<string, number>> = { k: 1000, K: 1024, m: 1_000_000, M: 1_048_576 };

/** The value of a number, null for a text that is none. */
export function readNumber(text: string): number | null {
  const [, sign, whole = '', , fraction = '', exponent = '0', suffix] = number.exec(text) ?? [];
  if (sign === undefined || whole + fraction === '' || whole.endsWith('_')) return null;
  const digits = Number(`${sign}${whole.replaceAll('_', '')}.${fraction}0e${exponent}`);
  const value = suffix === undefined ? digits : Number((digits * (suffixes[suffix] ?? 1)).toPrecision(15));
  return Number.isFinite(value) ? value : null;
}

/**
 * A value in the style of the number that it replaces: with its suffix, its underscores, its missing zero, as long as that
 * tells the value exactly; else in plain digits.
 */
export function writeNumber(value: number, like: string): string {
  const plain = plainDigits(value);
  const candidates = [suffixed(value, like), grouped(plain, like), withoutZero(plain, like), withDecimals(value, like)];
  return candidates.find(text => text !== null && readNumber(text) === value) ?? plain;
}

function suffixed(value: number, like: string): string | null {
  const suffix = /[kKmM]$/.exec(like)?.[0];
  const unit = suffix === undefined ? undefined : suffixes[suffix];
  if (suffix === undefined || unit === undefined) return null;
  const count = value / unit;
  // Programs take decimals only before the decimal suffixes, and people write them only where there were some.
  const exact = Number.isInteger(count) || (like.includes('.') && unit % 1024 !== 0 && Number.isInteger(count * 1000));
  return exact ? `${plainDigits(count)}${suffix}` : null;
}

function grouped(plain: string, like: string): string | null {
  if (!like.includes('_') || !/^\d+$/.test(plain)) return null;
  return plain.replace(/\B(?=(?:\d{3})+$)/g, '_');
}

const withoutZero = (plain: string, like: string): string | null =>
  like.startsWith('.') && plain.startsWith('0.') ? plain.slice(1) : null;

/** `0.90` becomes `0.80`, not `0.8`. */
function withDecimals(value: number, like: string): string | null {
  const decimals = /^\d+\.(\d+)$/.exec(like)?.[1];
  return decimals === undefined ? null : value.toFixed(Math.min(decimals.length, 20));
}

/** Without an exponent where JavaScript would write one. */
function plainDigits(value: number): string {
  const text = String(value);
  if (!text.includes('e')) return text;
  return Number.isInteger(value) && Math.abs(value) < 1e21 ? BigInt(value).toString() : text;
}
