import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { gpuOffer, type CardInUse } from '../../../src/core/job/gpuOffer';
import type { GpuWish } from '../../../src/core/job/job';
import { gpu, mib } from '../present/builders';

const free = (index: number, changes: Partial<CardInUse> = {}): CardInUse => ({
  reading: gpu(index),
  isFree: true,
  owners: [],
  attempts: [],
  ...changes,
});
const taken = (index: number): CardInUse => free(index, { isFree: false, owners: ['mia'] });
const ours = (index: number): CardInUse => free(index, { isFree: false, attempts: [{ id: 'a', job: 'drafter' }] });
const any = (count: number): GpuWish => ({ kind: 'anyFree', count });

describe('the GPUs for a job', () => {
  it('are the first free ones of as many as it wants', () => {
    const offer = gpuOffer(any(2), [free(3), taken(0), free(1), free(2)]);
    expect(offer).toMatchObject({ proposed: ['GPU-1', 'GPU-2'], question: null, missing: [] });
  });

  it('are asked for where fewer are free', () => {
    const offer = gpuOffer(any(3), [free(0), taken(1), ours(2), free(3)]);
    expect(offer).toMatchObject({ proposed: null, question: { kind: 'tooFewFree', wanted: 3, free: 2 } });
  });

  it('are those that it names, others’ too, and those of an own job only after a question', () => {
    const named: GpuWish = { kind: 'indices', indices: [0, 1] };
    expect(gpuOffer(named, [free(0), taken(1), ours(2)])).toMatchObject({
      proposed: ['GPU-0', 'GPU-1'],
      question: null,
    });
    const shared = gpuOffer({ kind: 'indices', indices: [0, 2] }, [free(0), taken(1), ours(2)]);
    expect(shared.question).toMatchObject({ kind: 'shared', gpus: [{ index: 2 }] });
  });

  it('are missing where the host does not have them', () => {
    expect(gpuOffer({ kind: 'indices', indices: [0, 7] }, [free(0)]).missing).toEqual([7]);
    expect(gpuOffer({ kind: 'indices', indices: [1] }, []).missing).toEqual([1]);
  });

  it('are never an empty list where none is known: that would hide them all from the job', () => {
    expect(gpuOffer({ kind: 'all' }, [])).toMatchObject({ proposed: null, question: null, missing: [] });
    expect(gpuOffer(any(2), [])).toMatchObject({ proposed: null, question: null, missing: [0, 1] });
  });

  it('are asked about when a job that sees all of them meets another one of ours', () => {
    expect(gpuOffer({ kind: 'unpinned' }, [free(0)])).toMatchObject({ proposed: null, question: null });
    expect(gpuOffer({ kind: 'unpinned' }, [ours(0)]).question).toMatchObject({ kind: 'shared' });
    expect(gpuOffer({ kind: 'all' }, [free(0), ours(1)])).toMatchObject({
      proposed: ['GPU-0', 'GPU-1'],
      question: { kind: 'shared', gpus: [{ index: 1 }] },
    });
  });

  it('tell what is free on them, and null where nobody knows', () => {
    const half = free(0, { reading: gpu(0, { memoryUsedBytes: 40_000 * mib }) });
    const unknown = free(1, { reading: gpu(1, { memoryUsedBytes: null }) });
    const [first, second] = gpuOffer(any(1), [half, unknown]).choices;
    expect(first?.freeBytes).toBe(57_887 * mib);
    expect(second?.freeBytes).toBeNull();
  });

  it('are never proposed without a question where an own job runs', () => {
    const card = fc.constantFrom(free, taken, ours);
    const wish = fc.oneof(
      fc.constant<GpuWish>({ kind: 'all' }),
      fc.integer({ min: 1, max: 9 }).map(any),
      fc.array(fc.nat(9)).map(indices => ({ kind: 'indices', indices }) as const),
    );
    fc.assert(
      fc.property(fc.array(card, { maxLength: 8 }), wish, (makers, wished) => {
        const cards = makers.map((make, index) => make(index));
        const { proposed, question } = gpuOffer(wished, cards);
        const isShared = cards.some(
          ({ reading, attempts }) => attempts.length > 0 && proposed?.includes(reading.uuid ?? '') === true,
        );
        expect(question?.kind === 'shared').toBe(isShared);
      }),
    );
  });
});
