import { describe, expect, it } from 'vitest';
import type { AttemptState } from '../../../src/core/model/jobsState';
import { hostInStatusBar, statusBar } from '../../../src/core/present/statusBar';
import { busyGpu, gpu, host, mib, now, stateOf, type HostParts } from './builders';
import { attempt, jobs, minutes, running } from './jobBuilders';

const four = [0, 1, 2, 3].map(index =>
  busyGpu(index, { powerWatts: 412 + 10 * index, memoryUsedBytes: (40_755 - index) * mib }),
);

function barOf(attempts: readonly AttemptState[], parts: HostParts = {}) {
  return statusBar(stateOf(host({ gpus: four, ...parts, jobs: jobs(...attempts) })), now)!;
}

const pinned = (count: number, job = 'drafter') => ({
  spec: { job, gpus: four.slice(0, count).map(({ uuid }) => uuid ?? '') },
});

describe('the status bar', () => {
  it('tells of a job the least power and the most VRAM of its GPUs, and that it does', () => {
    const bar = barOf([attempt('a', running(minutes), pinned(4))]);
    expect(bar.text).toBe('drafter 4× 412 W · 39.8/95.6 GiB');
    expect(JSON.stringify(bar.tooltip)).toContain('Shown of drafter: the least power and the most VRAM of its GPUs.');
    expect(bar.accessibilityLabel).toBe(
      'Headroom, blackwell: drafter runs on 4 GPUs, about 400 watts, 40 of 96 gibibytes',
    );
  });

  it('counts no cards that are not the job’s, and no GPU where there is one', () => {
    const idle = { gpus: [busyGpu(0), gpu(1)] };
    expect(barOf([attempt('a', running(minutes), pinned(1))], idle).text).toBe('drafter 412 W · 39.8/95.6 GiB');
  });

  it('goes by the cards on which a job was seen, where it is pinned to none', () => {
    const seen = { gpu: { peak: null, cards: ['GPU-2', 'GPU-3'] } };
    expect(barOf([attempt('a', running(minutes), seen)]).text).toBe('drafter 2× 432 W · 39.8/95.6 GiB');
  });

  it('says of a job without GPUs that it runs, and of several how many more', () => {
    expect(barOf([attempt('a', running(9 * minutes))]).text).toBe('drafter running 9 min');
    const both = [
      attempt('a', running(minutes), pinned(4)),
      attempt('b', running(minutes), { spec: { job: 'build' } }),
    ];
    expect(barOf(both).text).toBe('drafter +1 4× 412 W · 39.8/95.6 GiB');
  });

  it('has never more than 40 characters, and keeps the numbers whole', () => {
    const long = barOf([attempt('a', running(minutes), pinned(4, 'a-very-long-name-of-a-job-that-goes-on'))]);
    expect([...long.text].length).toBeLessThanOrEqual(40);
    expect(long.text).toMatch(/… 4× 412 W · 39\.8\/95\.6 GiB$/);
  });

  it('shows no number of a job as live that is not', () => {
    expect(barOf([attempt('a', running(minutes), pinned(4))], { ageMs: 2 * minutes }).text).toBe('blackwell 2 min ago');
    const hung = { snapshot: { atMs: now - 2 * minutes } };
    expect(barOf([attempt('a', running(minutes), pinned(4))], hung).text).toBe('blackwell 2 min ago');
  });

  it('speaks of the host on which a job runs rather than of one that was connected later', () => {
    const busy = host({ name: 'one', jobs: jobs(attempt('a', running(minutes))) });
    expect(hostInStatusBar(stateOf(busy, host({ name: 'two' })))?.spec.id).toBe('one');
  });
});
