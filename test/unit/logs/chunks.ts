import fc from 'fast-check';

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

export function joinBytes(pieces: readonly Uint8Array[]): Uint8Array {
  return Uint8Array.from(pieces.flatMap(piece => [...piece]));
}

/** Where to cut: any number of places, taken modulo the length. */
export const cuts = fc.array(fc.nat(10_000), { maxLength: 12 });

export function cutAt(whole: Uint8Array, places: readonly number[]): readonly Uint8Array[] {
  const inside = places.map(place => place % (whole.length + 1)).sort((a, b) => a - b);
  const edges = [0, ...inside, whole.length];
  return edges.slice(1).map((edge, index) => whole.slice(edges[index], edge));
}

export const oneByOne = (whole: Uint8Array): readonly Uint8Array[] => Array.from(whole, byte => Uint8Array.of(byte));
