import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { StreamLine } from '../../../src/core/host/remoteScript';
import { createStreamReader } from '../../../src/core/host/streamReader';
import { bytesOf, cutAt, cuts, joinBytes, oneByOne } from './chunks';

const nonce = '0123456789abcdef';
const mark = `\x1e${nonce} `;

/** What a reader makes of the chunks, neighbouring raw pieces joined: how they are cut is not promised. */
function read(chunks: readonly Uint8Array[], end = false): readonly StreamLine[] {
  const reader = createStreamReader(nonce);
  const lines: StreamLine[] = [];
  for (const line of [...chunks.flatMap(chunk => reader.push(chunk)), ...(end ? reader.end() : [])]) {
    const last = lines.at(-1);
    if (line.kind === 'bytes' && last?.kind === 'bytes')
      lines[lines.length - 1] = { kind: 'bytes', bytes: joinBytes([last.bytes, line.bytes]) };
    else lines.push(line.kind === 'bytes' ? { kind: 'bytes', bytes: line.bytes.slice() } : line);
  }
  return lines;
}

const control = (words: string): StreamLine => ({ kind: 'control', words });
const text = (words: string): StreamLine => ({ kind: 'text', text: words });
const raw = (bytes: Uint8Array): StreamLine => ({ kind: 'bytes', bytes });

describe('stream reader', () => {
  it('gives lines as they are, and raw bytes after `bytes` up to the mark', () => {
    const log = Uint8Array.of(...Array.from({ length: 256 }, (_, byte) => byte));
    const stream = joinBytes([bytesOf(`motd\r\n${mark}bytes 1 77 0\n`), log, bytesOf(`${mark}sent 256\nx\n`)]);
    const expected = [text('motd'), control('bytes 1 77 0'), raw(log), control('sent 256'), text('x')];
    expect(read([stream])).toEqual(expected);
    expect(read(oneByOne(stream))).toEqual(expected);
  });

  it('goes raw for the word `bytes` alone', () => {
    expect(read([bytesOf(`${mark}bytesize 4\nbytes 1\nx\n`)])).toEqual([
      control('bytesize 4'),
      text('bytes 1'),
      text('x'),
    ]);
  });

  it('takes no part and no likeness of a mark for one', () => {
    const likenesses = [
      '\x1e',
      '\x1e\x1e',
      mark.slice(0, 9),
      mark.slice(0, -1),
      `\x1e${nonce}x`,
      `\x1e${nonce.slice(1)} `,
      `${mark.slice(0, 9)}${mark.slice(0, -1)}`,
    ];
    for (const likeness of likenesses) {
      const stream = bytesOf(`${mark}bytes 1 1 0\n${likeness}${mark}sent 0\n`);
      for (const chunks of [[stream], oneByOne(stream)])
        expect(read(chunks)).toEqual([control('bytes 1 1 0'), raw(bytesOf(likeness)), control('sent 0')]);
    }
  });

  it('hands raw bytes on at once, and holds back no more than a mark', () => {
    const reader = createStreamReader(nonce);
    reader.push(bytesOf(`${mark}bytes 1 1 0\n`));
    expect(reader.push(bytesOf('no line feed'))).toEqual([raw(bytesOf('no line feed'))]);
    expect(reader.push(bytesOf(`ab${mark.slice(0, 4)}`))).toEqual([raw(bytesOf('ab'))]);
    expect(
      joinBytes(reader.push(bytesOf('cd')).map(line => (line.kind === 'bytes' ? line.bytes : bytesOf('?')))),
    ).toEqual(bytesOf(`${mark.slice(0, 4)}cd`));
  });

  it('drops half a mark at the end of the stream, and gives half a line', () => {
    expect(read([bytesOf(`${mark}bytes 1 1 0\nab${mark.slice(0, 4)}`)], true)).toEqual([
      control('bytes 1 1 0'),
      raw(bytesOf('ab')),
    ]);
    expect(read([bytesOf('half')], true)).toEqual([text('half')]);
  });

  it('gives the same however the bytes were cut into chunks', () => {
    const word = fc.constantFrom('a', '\n', '\r\n', 'é', '\x1e', mark.slice(0, 7), mark.slice(0, -1), '\xff');
    const blob = fc.array(word, { maxLength: 8 }).map(words => bytesOf(words.join('')));
    const sections = fc.array(fc.oneof(blob, fc.uint8Array({ maxLength: 40 })), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(sections, cuts, (logs, places) => {
        const stream = joinBytes(
          logs.flatMap((log, index) => [
            bytesOf(`${mark}bytes ${index} 1 0\n`),
            log,
            bytesOf(`${mark}sent ${log.length}\n`),
          ]),
        );
        const expected = logs.flatMap((log, index) => [
          control(`bytes ${index} 1 0`),
          ...(log.length > 0 ? [raw(log)] : []),
          control(`sent ${log.length}`),
        ]);
        expect(read(cutAt(stream, places))).toEqual(expected);
      }),
    );
  });
});
