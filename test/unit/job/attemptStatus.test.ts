import { describe, expect, it } from 'vitest';
import { attemptStatus, type AttemptFiles } from '../../../src/core/job/directory/attemptStatus';
import { readSpec } from '../../../src/core/job/directory/attemptSpec';
import { parseKeyValues, type KeyValues } from '../../../src/core/job/directory/keyValues';

const boot = 'b-1';
const { spec } = readSpec('a', '{"format":1,"job":"drafter","cwd":"~/train"}');

type Texts = { readonly [name in keyof AttemptFiles]?: string };

const read = (text: string | undefined): KeyValues | null =>
  text === undefined ? null : parseKeyValues(text.split(' | '));

/** Lines of a file are parted by ` | `. */
const statusOf = (texts: Texts, bootId: string | null = boot) =>
  attemptStatus(
    {
      owner: read(texts.owner),
      started: read(texts.started),
      refused: read(texts.refused),
      status: read(texts.status),
      stopping: read(texts.stopping),
      alive: read(texts.alive) ?? new Map<string, string>(),
    },
    spec,
    bootId,
  );

const owner = `format=1 | owner=10 500 ${boot} | at=100`;
const started = `format=1 | at=101 | boot_id=${boot} | supervisor=9 490 | command=10 500 | oom_kill=3 | log=/l`;
const ended = (exit: number, more = ''): string => `format=1 | at=160 | exit=${exit} | oom_kill=5${more}`;

describe('the status', () => {
  it.each<readonly [Texts, object]>([
    [{}, { kind: 'queued' }],
    [{ owner }, { kind: 'starting' }],
    [{ owner, alive: 'owner=yes' }, { kind: 'starting' }],
    [
      { owner, alive: 'owner=no' },
      { kind: 'lost', started: null, reason: 'neverStarted' },
    ],
    [
      { owner: owner.replace(boot, 'b-0'), alive: 'owner=yes' },
      { kind: 'lost', reason: 'neverStarted' },
    ],
    [
      { owner, started },
      { kind: 'running', started: { atS: 101, command: { pid: 10, startTicks: 500 }, log: '/l' } },
    ],
    [{ owner, started, alive: 'command=no | supervisor=yes' }, { kind: 'running' }],
    [{ owner, started, alive: 'command=yes | supervisor=no' }, { kind: 'running' }],
    [
      { owner, started, alive: 'command=no | supervisor=no' },
      { kind: 'lost', reason: 'supervisorGone' },
    ],
    [
      { started: started.replace(boot, 'b-0'), alive: 'command=yes' },
      { kind: 'lost', reason: 'rebooted' },
    ],
    [
      { owner, started, status: ended(0) },
      { kind: 'finished', ended: { atS: 160, exitCode: 0, oomKills: 2, peak: null } },
    ],
    // It ended before the machine booted again.
    [{ started: started.replace(boot, 'b-0'), status: ended(0) }, { kind: 'finished' }],
    [{ owner: owner.replace('=1', '=2') }, { kind: 'unknownFormat', format: '2' }],
    [
      { owner, started, status: 'format=x y' },
      { kind: 'unknownFormat', format: 'x y' },
    ],
  ])('of %j is %j', (texts, expected) => {
    expect(statusOf(texts)).toMatchObject(expected);
  });

  it('notices no reboot where the boot cannot be told', () => {
    expect(statusOf({ owner, started }, null).kind).toBe('running');
  });

  it('tells of no kills where the kernel does not count them', () => {
    const uncounted = statusOf({ started: started.replace('oom_kill=3', 'oom_kill='), status: ended(1) });
    expect(uncounted).toMatchObject({ ended: { oomKills: null } });
  });
});

describe('the outcome', () => {
  const stopping = 'format=1 | at=155 | by=you | reason=would not fit';

  it.each<readonly [Texts, object]>([
    [{ status: ended(0) }, { kind: 'succeeded' }],
    [{ status: ended(1) }, { kind: 'failed', exitCode: 1 }],
    [{ status: ended(128) }, { kind: 'failed', exitCode: 128 }],
    [{ status: ended(137) }, { kind: 'killed', signal: 9 }],
    [{ status: ended(255) }, { kind: 'failed', exitCode: 255 }],
    [{ status: ended(0, ' | detached=yes') }, { kind: 'detached' }],
    [{ status: ended(0, ' | detached=no') }, { kind: 'succeeded' }],
    [
      { status: ended(0), stopping },
      { kind: 'stopped', by: 'you', reason: 'would not fit' },
    ],
    [
      { status: ended(137), stopping },
      { kind: 'stopped', by: 'you', reason: 'would not fit' },
    ],
    // It had ended by itself when it was asked to.
    [{ status: ended(0), stopping: stopping.replace('155', '161') }, { kind: 'succeeded' }],
    [
      { status: ended(1), refused: 'format=1 | reason=cwd' },
      { kind: 'failedToStart', message: 'The directory ~/train cannot be entered.' },
    ],
    [
      { status: ended(1), refused: 'format=1 | reason=setup | detail=2 127' },
      { kind: 'failedToStart', message: 'Line 2 of the setup failed with exit code 127.' },
    ],
    [
      { status: ended(1), refused: 'format=1 | reason=newer' },
      { kind: 'failedToStart', message: 'The command could not be started.' },
    ],
  ])('of %j is %j', (texts, outcome) => {
    expect(statusOf({ owner, started, ...texts })).toMatchObject({ kind: 'finished', outcome });
  });
});
