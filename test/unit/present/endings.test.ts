import { expect, it, test } from 'vitest';
import type { OverStatus } from '../../../src/core/job/ending';
import { endingKind, endingsText, endingText, stallText } from '../../../src/core/present/endings';
import { ending, finished, listed, minutes, running, startedAt } from './jobBuilders';
import { now } from './builders';

test.each<[string, OverStatus, string | null, string]>([
  [
    'succeeded',
    finished({ kind: 'succeeded' }, 9 * minutes + 46_000),
    'saved',
    'drafter at max-seq-len 8192 on blackwell finished in 9 min 46 s.',
  ],
  [
    'failed',
    finished({ kind: 'failed', exitCode: 1 }, 3 * minutes),
    'RuntimeError: no',
    'drafter at max-seq-len 8192 on blackwell failed with exit code 1 after 3 min: RuntimeError: no',
  ],
  [
    'failed',
    finished({ kind: 'failed', exitCode: 2 }, 500),
    null,
    'drafter at max-seq-len 8192 on blackwell failed with exit code 2 after 0 s.',
  ],
  [
    'failed',
    finished({ kind: 'killed', signal: 9 }, 61_000),
    'Killed',
    'drafter at max-seq-len 8192 on blackwell was killed by SIGKILL after 1 min 1 s; who sent it is not known: Killed',
  ],
  [
    'failed',
    finished({ kind: 'killed', signal: 40 }, 1_000),
    null,
    'drafter at max-seq-len 8192 on blackwell was killed by signal 40 after 1 s; who sent it is not known.',
  ],
  [
    'stopped',
    finished({ kind: 'stopped', by: 'me', reason: '' }, 5_000),
    'bye',
    'drafter at max-seq-len 8192 on blackwell was stopped after 5 s.',
  ],
  [
    'failed',
    finished({ kind: 'detached' }, 1_000),
    null,
    'drafter at max-seq-len 8192 on blackwell came back at once and left processes running: they are neither followed nor stopped with it.',
  ],
  [
    'failed',
    finished({ kind: 'failedToStart', message: 'The directory ~/x cannot be entered.' }, 0),
    null,
    'drafter at max-seq-len 8192 on blackwell could not start. The directory ~/x cannot be entered.',
  ],
  [
    'lost',
    { kind: 'lost', started: startedAt(now), reason: 'rebooted' },
    null,
    'drafter at max-seq-len 8192 on blackwell is lost: the machine was started anew.',
  ],
  [
    'lost',
    { kind: 'lost', started: null, reason: 'neverStarted' },
    null,
    'drafter at max-seq-len 8192 on blackwell is lost: it never came to its start.',
  ],
])('an ending that is %s is told in words', (kind, status, lastLine, text) => {
  const one = ending(status, lastLine);
  expect(endingKind(one)).toBe(kind);
  expect(endingText(one)).toBe(text);
});

it('lets no link and no icon of a log into a notification', () => {
  const status = finished({ kind: 'failed', exitCode: 1 }, 1_000);
  const text = endingText(ending(status, '[click](command:evil) $(zap) \u001b]8;;http://x\u0007y'));
  expect(text).not.toMatch(/\]\(|\$\(|\u001b/);
});

it('tells many endings in one sentence', () => {
  const one = ending(finished({ kind: 'succeeded' }, 1_000));
  const other = ending({ kind: 'lost', started: null, reason: 'rebooted' });
  expect(endingsText([one, other])).toBe(
    '2 jobs ended on blackwell: drafter at max-seq-len 8192 finished, drafter at max-seq-len 8192 is lost.',
  );
  expect(endingsText(Array.from({ length: 9 }, () => one))).toMatch(/^9 jobs ended on .*, and 5 more\.$/);
});

it('tells of silence', () => {
  const stall = { host: 'blackwell', attempt: listed('a', running(minutes)), quietForMs: 20 * minutes + 800 };
  expect(stallText(stall)).toBe('drafter at max-seq-len 8192 on blackwell runs and has written nothing for 20 min.');
  expect(stallText({ ...stall, quietForMs: 30_000 })).toMatch(/nothing for 30 s\.$/);
});
