import { expect, it } from 'vitest';
import { recordsAsCsv, recordsAsJson } from '../../../src/core/present/records';
import { host, stateOf } from './builders';
import { attempt, finished, jobs, minutes, running } from './jobBuilders';

const done = attempt('a', finished({ kind: 'failed', exitCode: 1 }, 3 * minutes, 0, 1), {
  spec: { run: 'python train.py \\\n  --note "a, b"' },
  gpu: { peak: { bytes: 42_735_763_456, kind: 'sampled' }, cards: [] },
  log: { throughput: { value: 4.5, unit: 'it/s', atMs: 0 }, outputAtMs: 0, lastLines: [] },
});

it('exports every attempt as JSON, with null for what is not known', () => {
  const state = stateOf(host({ jobs: jobs(done, attempt('b', running(minutes))) }), host({ name: 'other' }));
  const [first, second, ...more] = JSON.parse(recordsAsJson(state)) as Record<string, unknown>[];
  expect(first).toMatchObject({
    host: 'blackwell',
    job: 'drafter',
    attempt: 'a',
    status: 'finished',
    outcome: 'failed',
    exitCode: 1,
    durationS: 180,
    values: { '--max-seq-len': 8192 },
    peakBytes: 42_735_763_456,
    peakKind: 'sampled',
    throughput: 4.5,
    throughputUnit: 'it/s',
  });
  expect(first?.['endedAt']).toBe('2026-01-01T12:00:07.000Z');
  expect(second).toMatchObject({ status: 'running', outcome: null, endedAt: null, durationS: null, peakBytes: null });
  expect(more).toEqual([]);
});

it('exports as CSV what spreadsheets read back: quotes, commas and line breaks within a cell', () => {
  const csv = recordsAsCsv(stateOf(host({ jobs: jobs(done) })));
  const [header] = csv.split('\r\n');
  expect(header?.split(',').slice(0, 3)).toEqual(['host', 'job', 'attempt']);
  expect(csv).toContain('"python train.py \\\n  --note ""a, b"""');
  expect(csv).toContain('"{""--max-seq-len"":8192}"');
});

it('lets no cell become a formula', () => {
  const state = stateOf(host({ jobs: jobs(attempt('a', running(1_000), { spec: { job: '=HYPERLINK("x")' } })) }));
  expect(recordsAsCsv(state)).toContain(`"'=HYPERLINK(""x"")"`);
});

it('gives away no secret of a command', () => {
  const spec = { run: 'HF_TOKEN=hf_planted python train.py' };
  const state = stateOf(host({ jobs: jobs(attempt('a', running(1_000), { spec })) }));
  for (const exported of [recordsAsJson(state), recordsAsCsv(state)]) {
    expect(exported).toContain('HF_TOKEN=… python train.py');
    expect(exported).not.toContain('planted');
  }
});
