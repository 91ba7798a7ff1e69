import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttemptSpec } from '../../../src/core/job/attempt';
import { isAttemptId, newAttemptId } from '../../../src/core/job/attemptId';
import { readSpec, specText } from '../../../src/core/job/directory/attemptSpec';
import { parseJobListing } from '../../../src/core/job/directory/jobDirectory';
import { parseLaunchAnswer } from '../../../src/core/job/directory/launchAnswer';

const spec: AttemptSpec = {
  format: 1,
  job: 'drafter',
  run: 'python train.py\n  --max-seq-len 8192',
  cwd: '~/train',
  values: { 'max-seq-len': 8192 },
  parent: '20250101t000000-aaaaaaaaaaaa',
  gpus: ['GPU-1'],
  createdAtMs: 1_700_000_000_000,
  source: { file: 'headroom.yaml', hash: 'abc' },
};

const id = '20250102t000000-bbbbbbbbbbbb';
const header = 'format=1\nmachine=m\nboot_id=b\nnow=1800000000\njobs=/s/headroom/m/jobs\n';
const listing = (...lines: readonly string[]) => parseJobListing(`${header}${lines.join('\n')}\n`);

describe('a listing', () => {
  it('tells of each attempt in the order in which they were made', () => {
    const other = '20250101t000000-aaaaaaaaaaaa';
    const read = listing(
      `${id}/alive:owner=yes`,
      `./${id}/spec.json:${specText(spec)}`,
      `./${id}/claim/owner:format=1`,
      `./${id}/claim/owner:owner=1 2 b`,
      `./${other}/spec.json:{"format":1,"job":"first"}`,
      `./${other}/status:format=1`,
      `./${other}/status:at=5`,
      `./${other}/status:exit=0`,
      `./${other}/told:format=1`,
      `./${other}/relaunched/by:format=1`,
      `./${other}/relaunched/by:attempt=${id}`,
    );
    expect(read).toMatchObject({ machine: 'm', bootId: 'b', nowS: 1_800_000_000, jobs: '/s/headroom/m/jobs' });
    expect(read?.attempts).toMatchObject([
      { id: other, spec: { job: 'first' }, told: true, relaunchedBy: id, status: { kind: 'finished' } },
      { id, spec, told: false, relaunchedBy: null, status: { kind: 'starting' }, folder: `/s/headroom/m/jobs/${id}` },
    ]);
  });

  it('keeps the folders of earlier boots of a container apart', () => {
    const before = 'machine=old\nboot_id=b\nnow=1\njobs=/s/headroom/old/jobs';
    const read = listing(
      `./${id}/spec.json:{"format":1,"job":"new"}`,
      before,
      `./${id}x/spec.json:{"format":1,"job":"old"}`,
    );
    expect(read?.attempts.map(({ folder }) => folder)).toEqual([
      `/s/headroom/m/jobs/${id}`,
      `/s/headroom/old/jobs/${id}x`,
    ]);
  });

  it('shows what it does not understand, and takes nothing from it', () => {
    const read = listing(`./${id}/spec.json:{"format":2,"job":"later"}`, `./${id}/started:format=1`);
    expect(read?.attempts).toMatchObject([{ spec: { job: 'later' }, status: { kind: 'unknownFormat', format: '2' } }]);
    const damaged = listing(`./${id}/spec.json:{"format":1,"jo`);
    expect(damaged?.attempts).toMatchObject([{ spec: { job: id }, status: { kind: 'unknownFormat' } }]);
    const bare = listing(`./${id}/claim/owner:format=1`);
    expect(bare?.attempts).toMatchObject([{ spec: { job: id, run: '' }, status: { kind: 'starting' } }]);
  });

  it('never throws, and no line of one attempt tells of another', () => {
    const path = fc.constantFrom(
      `./${id}/status`,
      `./${id}/started`,
      `./${id}/spec.json`,
      `./${id}/claim/owner`,
      '',
      'x',
    );
    const text = fc.oneof(
      fc.string({ unit: 'binary' }).map(line => line.replaceAll('\n', ' ')),
      fc.constantFrom('format=1', 'at=1', 'exit=0', 'machine=x', `./other/status:exit=0`, '{"format":1,"gpus":[1]}'),
    );
    const line = fc
      .tuple(path, text)
      .map(([where, what]) => (where === '' ? `${id}/alive:${what}` : `${where}:${what}`));
    fc.assert(
      fc.property(fc.array(line), lines => {
        const read = listing(...lines);
        expect(read?.machine).toBe('m');
        expect((read?.attempts ?? []).every(attempt => attempt.id === id)).toBe(true);
      }),
    );
    fc.assert(fc.property(fc.string({ unit: 'binary' }), output => void parseJobListing(output)));
  });
});

describe('an answer to a launch', () => {
  it.each([
    [
      'format=1\nanswer=refused\nreason=diskFull\ndetail=dd: x\nwritable=/tmp\n',
      { kind: 'refused', refusal: { reason: 'diskFull', detail: 'dd: x', writable: '/tmp' } },
    ],
    [
      'format=1\nanswer=refused\nreason=newer\n',
      { kind: 'refused', refusal: { reason: 'noPlace', detail: '', writable: null } },
    ],
    ['format=1\nanswer=relaunched\nby=x\n', { kind: 'relaunched', by: 'x' }],
    [
      `answer=waiting\n${header}./${id}/spec.json:{"format":1}\n`,
      { kind: 'waiting', attempt: { id, status: { kind: 'queued' } } },
    ],
    // What stands in a file of the attempt is no answer.
    [`answer=launched\n${header}./${id}/spec.json:{}\n./${id}/told:answer=refused\n`, { kind: 'launched' }],
  ])('is read: %j', (output, expected) => {
    expect(parseLaunchAnswer(output)).toMatchObject(expected);
  });

  it.each([
    '',
    'format=1\n',
    'answer=launched\n',
    `answer=launched\n${header}`,
    'answer=relaunched\n',
    'answer=other\n',
  ])('that was cut off is none: %j', output => {
    expect(parseLaunchAnswer(output)).toBeNull();
  });
});

describe('spec.json', () => {
  it('is one line, and is read as it was written', () => {
    expect(specText(spec)).not.toContain('\n');
    expect(readSpec(id, specText(spec))).toEqual({ spec, unknownFormat: null });
  });

  it('is read without throwing, whatever it is', () => {
    fc.assert(fc.property(fc.oneof(fc.json(), fc.string()), text => void readSpec(id, text)));
  });
});

describe('the id of an attempt', () => {
  it('sorts by time, and two of one moment differ', () => {
    const early = newAttemptId(Date.UTC(2025, 0, 2, 3, 4, 5), new Uint8Array([0, 1, 2, 3, 4, 255]));
    expect(early).toBe('20250102t030405-0001020304ff');
    expect(early < newAttemptId(Date.UTC(2025, 0, 2, 3, 4, 6), new Uint8Array(6))).toBe(true);
    expect(isAttemptId(early)).toBe(true);
  });

  it.each(['', '-rf', '.', '..', 'a/b', 'a b', 'A', `${id}.new.1.2`, 'x'.repeat(65)])('is not %j', text => {
    expect(isAttemptId(text)).toBe(false);
  });
});
