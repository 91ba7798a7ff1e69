/** What tell.sh said of attempts, each named by its place, from 0, among those that were asked about. */
export interface Claimed {
  readonly index: number;
  /** The last lines of its log, oldest first. Untrusted. */
  readonly lastLines: readonly string[];
}

/** Those that this window is to tell. Never throws. */
export function readClaims(output: string): readonly Claimed[] {
  const lines = output.split('\n');
  return lines.flatMap(line => {
    const [, digits] = /^claimed (\d+)$/.exec(line) ?? [];
    if (digits === undefined) return [];
    const prefix = `${digits}:`;
    const lastLines = lines.filter(other => other.startsWith(prefix)).map(other => other.slice(prefix.length));
    return [{ index: Number(digits) - 1, lastLines }];
  });
}

/** Words that stand in the line by which a program says why it ended. */
const looksLikeError =
  /error|exception|fatal|killed|failed|cannot|can't|not found|no such|denied|out of memory|abort|segmentation/i;

/** The line of a log that says most of how it ended: the last that speaks of an error, else the last one; null for none. */
export function tellingLine(lines: readonly string[]): string | null {
  const written = lines.filter(line => line.trim() !== '');
  return written.findLast(line => looksLikeError.test(line)) ?? written.at(-1) ?? null;
}
