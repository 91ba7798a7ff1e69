import { describe, expect, it } from 'vitest';
import { hostsTree } from '../../../src/core/present/hostsTree';
import { changedNodes, onlyTextsChanged } from '../../../src/core/present/treeDiff';
import { busyGpu, gpu, gpuProcess, host, type HostParts, now, stateOf } from './builders';

const tree = (...parts: HostParts[]) => hostsTree(stateOf(...parts.map(host)), now);
const steady = { gpus: [gpu(0), busyGpu(1)], processes: [gpuProcess(1, 7)] };

describe('what is drawn anew', () => {
  it('is nothing when nothing changed', () => {
    expect(changedNodes(tree(steady), tree(steady))).toEqual([]);
  });
  it('is one card when its numbers change', () => {
    const after = tree({ ...steady, gpus: [gpu(0, { powerWatts: 50 }), busyGpu(1)] });
    expect(changedNodes(tree(steady), after)).toEqual(['blackwell >\ngpu GPU-0']);
  });
  it('is the card whose processes change', () => {
    const after = tree({ ...steady, processes: [gpuProcess(1, 7), gpuProcess(1, 8)] });
    expect(changedNodes(tree(steady), after)).toEqual(['blackwell >\ngpu GPU-1 >']);
  });
  it('is the process alone when only its memory changes', () => {
    const after = tree({ ...steady, processes: [gpuProcess(1, 7, { memoryBytes: 2 ** 33 })] });
    expect(changedNodes(tree(steady), after)).toEqual(['blackwell >\ngpu GPU-1 >\npid 7']);
  });
  it('is the host when a card gets its first process, so that the card is new and opens', () => {
    const after = tree({ ...steady, processes: [gpuProcess(1, 7), gpuProcess(0, 8)] });
    expect(changedNodes(tree(steady), after)).toEqual(['blackwell >']);
  });
  it('is the host, and with it what is below, when its own row changes', () => {
    const after = tree({ ...steady, gpus: [busyGpu(0), busyGpu(1)] });
    expect(changedNodes(tree(steady), after)).toEqual(['blackwell >']);
  });
  it('is one host of two', () => {
    const [a, b] = [
      { ...steady, name: 'a' },
      { ...steady, name: 'b' },
    ];
    const after = tree(a, { ...b, gpus: [gpu(0, { temperatureC: 40 }), busyGpu(1)] });
    expect(changedNodes(tree(a, b), after)).toEqual(['b >\ngpu GPU-0']);
  });
  it('is everything when a host comes or goes', () => {
    expect(changedNodes(tree(steady), tree(steady, { name: 'b' }))).toBe('all');
    expect(changedNodes(tree(steady), [])).toBe('all');
  });
});

describe('what may wait while a hover is read', () => {
  const only = (...[before, after]: [HostParts, HostParts]) => onlyTextsChanged(tree(before)[0]!, tree(after)[0]!);

  it('is other numbers', () => {
    expect(only(steady, { ...steady, gpus: [gpu(0, { powerWatts: 50 }), busyGpu(1, { temperatureC: 70 })] })).toBe(
      true,
    );
  });
  it('is not a card that is taken, a process that comes, or numbers that are old', () => {
    expect(only(steady, { ...steady, gpus: [busyGpu(0), busyGpu(1)] })).toBe(false);
    expect(only(steady, { ...steady, processes: [gpuProcess(1, 7), gpuProcess(1, 8)] })).toBe(false);
    expect(only(steady, { ...steady, ageMs: 10_000 })).toBe(false);
  });
});
