/** The pieces as one array of `size` bytes, which is what they have together; a single piece is given back itself. */
export function joinBytes(pieces: readonly Uint8Array[], size: number): Uint8Array {
  const [only] = pieces;
  if (only !== undefined && pieces.length === 1) return only;
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const piece of pieces) {
    bytes.set(piece, at);
    at += piece.length;
  }
  return bytes;
}

/** Text that may have been cut inside a character: as the beginning of a stream, so that half a character is left out. */
export const decodeCut = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes, { stream: true });
