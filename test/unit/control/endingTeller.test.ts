import { beforeEach, expect, it } from 'vitest';
import { createEndingTeller, type EndingTeller } from '../../../src/control/endingTeller';
import type { Connection, Log, RunResult } from '../../../src/control/ports';
import { createStore, type Store } from '../../../src/control/store';
import { DisposableStore } from '../../../src/core/base/disposable';
import { linkLost } from '../../../src/core/errors';
import { hostSpec } from '../../../src/core/host/hostSpec';
import type { AttemptEnding } from '../../../src/core/job/ending';
import type { ListedAttempt } from '../../../src/core/job/directory/jobDirectory';
import { jobScripts } from '../../../src/hosts/jobScripts';
import { finished, listed, running } from '../present/jobBuilders';
import { createFakeClock, settle } from './fakeWorld';

const host = 'box';
const strict: Log = {
  info: () => undefined,
  warn: () => undefined,
  error(message) {
    throw new Error(message);
  },
};

let store: Store;
let teller: EndingTeller;
let shown: string[][];
/** What the host answers to the next scripts; when there is none left, everything is granted. */
let answers: (RunResult | 'hang')[];
let isShown: boolean;
let release: () => void;
const life = new DisposableStore();

const exited = (stdout: string): RunResult => ({ kind: 'exited', code: 0, stdout, stderr: '' });
const lost: RunResult = { kind: 'lost', failure: linkLost(host, 'cut') };

const connection: Pick<Connection, 'run'> = {
  async run(script) {
    const answer = answers.shift();
    if (answer === 'hang') await new Promise<void>(resolve => (release = resolve));
    else if (answer !== undefined) return answer;
    const count = /^set -- (.*)$/m.exec(script)?.[1]?.split(' ').length ?? 0;
    return exited(Array.from({ length: count }, (_, index) => `claimed ${index + 1}\n${index + 1}:bye`).join('\n'));
  },
};

const over = (id: string): ListedAttempt => listed(id, finished({ kind: 'succeeded' }, 1_000));

function hear(...attempts: readonly ListedAttempt[]): Promise<void> {
  const listing = { machine: 'm', bootId: 'b', nowS: 1, jobs: '/jobs', attempts };
  store.dispatch({ kind: 'jobsListed', host, listing, atMs: 1_000 });
  teller.tell(connection as Connection, life);
  return settle();
}

const isTold = (id: string): boolean | undefined => store.state.hosts.get(host)?.jobs?.attempts.get(id)?.attempt.told;

beforeEach(() => {
  shown = [];
  answers = [];
  isShown = true;
  store = createStore(error => {
    throw error;
  });
  store.dispatch({ kind: 'hostAdded', spec: hostSpec(host) });
  const ended = (endings: readonly AttemptEnding[]): Promise<boolean> => {
    shown.push(endings.map(({ attempt }) => attempt.id));
    return Promise.resolve(isShown);
  };
  teller = createEndingTeller(host, {
    store,
    clock: createFakeClock(),
    log: strict,
    scripts: jobScripts,
    place: () => ({ state: null, logs: null }),
    notices: { ended, stalled: () => undefined },
    stallAfterMs: () => null,
  });
});

it('tells together what ended together, and nothing of what runs', async () => {
  await hear(over('a'), listed('b', running(1_000)), over('c'));
  expect(shown).toEqual([['a', 'c']]);
  expect([isTold('a'), isTold('b'), isTold('c')]).toEqual([true, false, true]);
  expect(teller.isWaiting).toBe(false);
});

it('leaves to another window what that has claimed, and waits to see it done', async () => {
  answers = [exited('claimed 2\n')];
  await hear(over('a'), over('b'));
  expect(shown).toEqual([['b']]);
  expect(isTold('a')).toBe(false);
  expect(teller.isWaiting).toBe(true);
  await hear({ ...over('a'), told: true }, over('b'));
  expect(shown).toHaveLength(1);
  expect(teller.isWaiting).toBe(false);
});

it('does not show again what it has shown and could not write down', async () => {
  answers = [exited('claimed 1\n'), lost];
  await hear(over('a'));
  expect(isTold('a')).toBe(false);
  await hear(over('a'));
  expect(shown).toEqual([['a']]);
  expect(isTold('a')).toBe(true);
});

it('tells another time what could not be shown', async () => {
  isShown = false;
  await hear(over('a'));
  expect(isTold('a')).toBe(false);
  expect(teller.isWaiting).toBe(true);
  isShown = true;
  await hear(over('a'));
  expect(shown).toEqual([['a'], ['a']]);
  expect(isTold('a')).toBe(true);
});

it('tells what ends while it is telling, in a round of its own', async () => {
  answers = ['hang'];
  await hear(over('a'));
  await hear(over('a'), over('b'));
  expect(shown).toEqual([]);
  release();
  await settle();
  await settle();
  expect(shown).toEqual([['a'], ['b']]);
});

it('shows nothing that it may not: the link was lost before it was claimed', async () => {
  answers = [lost];
  await hear(over('a'));
  expect(shown).toEqual([]);
  expect(teller.isWaiting).toBe(true);
});
