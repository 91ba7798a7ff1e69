/** The known word that somebody most likely meant, null when none is near. */
export function suggest(written: string, known: readonly string[]): string | null {
  const plain = (text: string): string => text.toLowerCase().replace(/[-_ ]/g, '');
  const wanted = plain(written);
  const near = known
    .map(word => ({ word, distance: distance(wanted, plain(word)) }))
    .filter(({ word, distance: far }) => far <= Math.max(1, Math.floor(word.length / 3)))
    .sort((one, other) => one.distance - other.distance);
  return near[0]?.word ?? null;
}

/** Letters to insert, drop, change or swap with their neighbour (Damerau–Levenshtein). */
function distance(one: string, other: string): number {
  // Nobody misspells a word this long; the bound keeps the work small.
  if (one.length > 64 || other.length > 64) return Number.POSITIVE_INFINITY;
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      const swapped = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current.push(
        Math.min(
          at(last, column) + 1,
          at(current, column - 1) + 1,
          at(last, column - 1) + (same ? 0 : 1),
          swapped ? at(before, column - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    before = last;
    last = current;
  }
  return at(last, other.length);
}

const at = (row: readonly number[], column: number): number => row[column] ?? Number.POSITIVE_INFINITY;
