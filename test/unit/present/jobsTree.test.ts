import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { AttemptState } from '../../../src/core/model/jobsState';
import { jobsTree } from '../../../src/core/present/jobsTree';
import type { TreeNode } from '../../../src/core/present/treeNode';
import { busyGpu, failureOf, gib, host, now, stateOf, type HostParts } from './builders';
import { attempt, finished, jobs, minutes, running } from './jobBuilders';

const treeOf = (attempts: readonly AttemptState[], parts: HostParts = {}): readonly TreeNode[] =>
  jobsTree(stateOf(host({ ...parts, jobs: jobs(...attempts) })), now);

const childOf = (one: AttemptState, parts: HostParts = {}): TreeNode => treeOf([one], parts)[0]!.children[0]!;

describe('an attempt', () => {
  it('that runs says for how long, how fast, what it holds, and what can be done with it', () => {
    const one = attempt('a', running(9 * minutes + 46_000), {
      log: { throughput: { value: 4.503, unit: 'it/s', atMs: now - 2_000 }, outputAtMs: now, lastLines: ['step 12'] },
      gpu: { peak: { bytes: 39.8 * gib, kind: 'sampled' }, cards: ['GPU-0'] },
    });
    const node = childOf(one, { gpus: [busyGpu(0)] });
    expect(node).toMatchObject({
      label: 'max-seq-len 8192',
      description: 'running 9 min 46 s · 4.5 it/s · peak 39.8 GiB (sampled)',
      icon: 'play-circle',
      attempt: 'a',
      capabilities: ['canShowLog', 'canStop', 'canCopyId'],
    });
    expect(JSON.stringify(node.tooltip)).toContain('step 12');
    expect(JSON.stringify(node.tooltip)).toContain('On GPU 0.');
  });

  it('that has gone quiet says so, and so does a figure that is old', () => {
    const log = {
      throughput: { value: 45_123.4, unit: 'tokens/s', atMs: now - 21 * minutes },
      outputAtMs: now - 20 * minutes - 5_000,
      lastLines: [],
    } as const;
    expect(childOf(attempt('a', running(60 * minutes), { log })).description).toBe(
      'running 1 h · no output for 20 min · 45,123 tokens/s 21 min ago',
    );
  });

  it('of a host whose link is down is told as of when it was heard of', () => {
    const connection = { kind: 'disconnected' } as const;
    const node = childOf(attempt('a', running(10 * minutes)), { connection, ageMs: 2 * minutes, watch: {} });
    expect(node.icon).toBe('history');
    expect(node.description).toMatch(/^running .*, as of/);
    expect(node.description).not.toContain('no output');
  });

  it('that is over says how, in what time and when', () => {
    const one = attempt('a', finished({ kind: 'failed', exitCode: 1 }, 3 * minutes, 2 * 60 * minutes, 1));
    expect(childOf(one)).toMatchObject({
      description: 'failed, exit 1, after 3 min · 2 h ago',
      icon: 'error',
      capabilities: ['canShowLog', 'canCopyId'],
    });
  });

  it('of a later version is shown and not touched', () => {
    const node = childOf(attempt('a', { kind: 'unknownFormat', format: '7' }));
    expect(node.description).toBe('written by a later version of Headroom (format 7)');
    expect(node.capabilities).toEqual(['canCopyId']);
  });

  it('that is being stopped cannot be stopped again', () => {
    const node = childOf(attempt('a', running(5_000), { isStopping: true }));
    expect(node.description).toBe('stopping, ran 5 s');
    expect(node.capabilities).not.toContain('canStop');
  });
});

describe('a job', () => {
  it('stands over its attempts, the newest first, and speaks of what runs', () => {
    const done = attempt('a', finished({ kind: 'succeeded' }, minutes, minutes));
    const runs = attempt('b', running(30_000), { spec: { values: { '--max-seq-len': 4096 }, createdAtMs: now } });
    const [row] = treeOf([done, runs]);
    expect(row).toMatchObject({
      label: 'drafter',
      description: 'running 30 s · max-seq-len 4096 · blackwell',
      attempt: 'b',
    });
    expect(row?.children.map(child => child.attempt)).toEqual(['b', 'a']);
  });

  it('with several that run says how many, and stops none of them unasked', () => {
    const [row] = treeOf([attempt('a', running(1_000)), attempt('b', running(1_000))]);
    expect(row?.description).toBe('2 running · blackwell');
    expect(row?.capabilities).toEqual([]);
  });

  it('numbers attempts that are about no number', () => {
    const none = { spec: { values: {} } };
    const [row] = treeOf([attempt('a', running(1_000), none), attempt('b', running(1_000), none)]);
    expect(row?.children.map(({ label }) => label)).toEqual(['attempt 2', 'attempt 1']);
  });

  it('of which the newest was made last comes first', () => {
    const old = attempt('a', running(1_000), { spec: { job: 'old', createdAtMs: now - minutes } });
    const young = attempt('b', running(1_000), { spec: { job: 'young', createdAtMs: now } });
    expect(treeOf([old, young]).map(({ label }) => label)).toEqual(['young', 'old']);
  });
});

it('says why the job directory of a host cannot be read, and goes on showing what is known', () => {
  const known = { ...jobs(attempt('a', running(1_000))), failure: failureOf('jobPlace', 'No place.') };
  const tree = jobsTree(stateOf(host({ jobs: known })), now);
  expect(tree.map(({ label }) => label)).toEqual(['No place.', 'drafter']);
});

it('shows no more of a hostile name than its letters, and gives every row an id of its own', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary', maxLength: 30 }), { minLength: 1, maxLength: 6 }), names => {
      const attempts = names.map((job, index) => attempt(`a${index}`, running(1_000), { spec: { job, run: job } }));
      const rows = treeOf(attempts).flatMap(row => [row, ...row.children]);
      expect(new Set(rows.map(({ id }) => id)).size).toBe(rows.length);
      for (const { label, description } of rows) expect(label + description).not.toMatch(/[\p{Cc}\u202e]|\]\(|\$\(/u);
    }),
  );
});
