import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { createStreamReader } from '../../../src/core/host/streamReader';
import { createFollowReader, followLine, tickLine, unfollowLine } from '../../../src/core/job/log/followProtocol';
import { followLog, type LogEvent } from '../../../src/core/job/log/logFollow';
import { fromStart, fromTail, type LogPoint } from '../../../src/core/job/log/logPoint';
import { bytesOf, cutAt, cuts, joinBytes } from './chunks';

const nonce = 'b5d3a1c7';
const mark = `\x1e${nonce} `;

/** What the host says about log 1: words are control lines, bytes are a part's. */
interface Told {
  point: LogPoint;
  readonly events: LogEvent[];
  /** Something was out of step. */
  outOfStep: boolean;
}

function tell(start: LogPoint, said: readonly (string | Uint8Array)[], places: readonly number[] = []): Told {
  const stream = joinBytes(said.map(part => (typeof part === 'string' ? bytesOf(`${mark}${part}\n`) : part)));
  return hear(start, cutAt(stream, places));
}

function hear(start: LogPoint, chunks: readonly Uint8Array[]): Told {
  const stream = createStreamReader(nonce);
  const reader = createFollowReader();
  const told: Told = { point: start, events: [], outOfStep: false };
  for (const line of chunks.flatMap(chunk => stream.push(chunk))) {
    const message = reader.push(line);
    if (message === null || message.kind === 'end') continue;
    const step = followLog(told.point, message);
    told.point = step.point;
    told.outOfStep ||= step.outOfStep;
    told.events.push(...step.events);
  }
  return told;
}

const bytes = (offset: number, text: string): LogEvent => ({ kind: 'bytes', offset, bytes: bytesOf(text) });

function check(start: LogPoint, said: readonly (string | Uint8Array)[], expected: Partial<Told>): void {
  expect(tell(start, said)).toMatchObject(expected);
}

describe('following a log', () => {
  it('asks in lines that can be sent', () => {
    expect(followLine(3, 'a-1', fromStart)).toBe('follow 3 a-1 0 -');
    expect(followLine(3, 'a-1', fromTail)).toBe('follow 3 a-1 tail -');
    expect(followLine(3, 'a-1', { offset: 10, inode: '77' })).toBe('follow 3 a-1 10 77');
    expect(unfollowLine(3)).toBe('unfollow 3');
    expect(tickLine(65_536)).toBe('tick 65536');
  });

  it('remembers how far it has read, and of which file', () =>
    check(fromStart, ['bytes 1 18446744073709551615 0', bytesOf('abc'), 'sent 3', 'end 1 all'], {
      point: { offset: 3, inode: '18446744073709551615' },
      events: [bytes(0, 'abc')],
      outOfStep: false,
    }));

  it('begins at the tail where only that is wanted, or at the start of what is short', () => {
    check(fromTail, ['skipped 1 0 100', 'bytes 1 7 100', bytesOf('abc'), 'sent 3'], {
      point: { offset: 103, inode: '7' },
      events: [{ kind: 'skipped', from: 0, to: 100 }, bytes(100, 'abc')],
    });
    check(fromTail, ['bytes 1 7 0', bytesOf('abc'), 'sent 3'], {
      point: { offset: 3, inode: '7' },
      events: [bytes(0, 'abc')],
    });
  });

  it('begins again with a file that was truncated or replaced', () => {
    const point = { offset: 10, inode: '7' };
    check(point, ['truncated 1', 'bytes 1 7 0', bytesOf('a'), 'sent 1'], {
      point: { offset: 1, inode: '7' },
      events: [{ kind: 'truncated' }, bytes(0, 'a')],
    });
    check(point, ['replaced 1'], { point: fromStart, events: [{ kind: 'replaced' }] });
    check(point, ['missing 1'], { point, events: [{ kind: 'missing' }] });
  });

  it('tells nothing twice, tells a gap as one, and notices when the host is out of step', () => {
    const point = { offset: 10, inode: '7' };
    check(point, ['bytes 1 7 8', bytesOf('abcd'), 'sent 4'], { events: [bytes(10, 'cd')], outOfStep: false });
    check(point, ['bytes 1 7 4', bytesOf('abcd'), 'sent 4'], { point, events: [], outOfStep: true });
    check(point, ['bytes 1 7 12', bytesOf('ab'), 'sent 2'], {
      events: [{ kind: 'skipped', from: 10, to: 12 }, bytes(12, 'ab')],
    });
    check(point, ['bytes 1 7 10', bytesOf('ab'), 'sent 5'], { point: { offset: 12, inode: '7' }, outOfStep: true });
  });

  it('passes over what it does not know', () => {
    const nonsense = ['', 'bytes', 'bytes 1', 'bytes x 7 0', 'sent', 'sent x', 'skipped 1', 'skipped 1 2 x', 'hello 1'];
    for (const words of nonsense) check(fromStart, [words, 'sent 4'], { point: fromStart, events: [] });
  });

  it('loses nothing and tells nothing twice, wherever the link breaks', () => {
    const log = fc.uint8Array({ minLength: 1, maxLength: 300 });
    fc.assert(
      fc.property(log, fc.array(fc.tuple(fc.nat(400), cuts), { maxLength: 5 }), cuts, (content, breaks, places) => {
        let point = fromStart;
        const got: Uint8Array[] = [];
        /** A connection on which so many bytes of the stream arrive. */
        const connect = (arriving: number, pieces: readonly number[]): void => {
          const from = point.offset as number;
          const half = Math.ceil((content.length - from) / 2);
          const parts = [content.subarray(from, from + half), content.subarray(from + half)];
          const stream = joinBytes([
            bytesOf(`${mark}bytes 1 7 ${from}\n`),
            parts[0]!,
            bytesOf(`${mark}sent ${half}\n${mark}bytes 1 7 ${from + half}\n`),
            parts[1]!,
            bytesOf(`${mark}sent ${parts[1]!.length}\n`),
          ]);
          const told = hear(point, cutAt(stream.subarray(0, arriving), pieces));
          point = told.point;
          for (const event of told.events) if (event.kind === 'bytes') got.push(event.bytes.slice());
        };
        for (const [arriving, pieces] of breaks) connect(arriving, pieces);
        connect(Number.MAX_SAFE_INTEGER, places);
        expect(joinBytes(got)).toEqual(content);
      }),
    );
  });
});
