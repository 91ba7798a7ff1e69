/** The `key=value` lines of a file in the job directory. */
export type KeyValues = ReadonlyMap<string, string>;

/** Never throws: a line without a key is passed over, and of a key that comes twice the first counts. */
export function parseKeyValues(lines: Iterable<string>): KeyValues {
  const values = new Map<string, string>();
  for (const line of lines) {
    const at = line.indexOf('=');
    if (at > 0 && !values.has(line.slice(0, at))) values.set(line.slice(0, at), line.slice(at + 1));
  }
  return values;
}

/** A whole number of digits alone; null for anything else. */
export function naturalOf(text: string | undefined): number | null {
  const number = text !== undefined && /^\d+$/.test(text) ? Number(text) : null;
  return number !== null && Number.isSafeInteger(number) ? number : null;
}
