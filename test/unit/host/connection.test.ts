import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  nextConnection,
  type ConnectionEvent,
  type ConnectionState,
  type ConnectStep,
} from '../../../src/core/host/connection';
import { authenticationFailed, cancelled, hostKeyChanged, linkLost, refused } from '../../../src/core/errors';

const lost = linkLost('box', 'reset');
const down = refused('box', '127.0.0.1:22');
const denied = authenticationFailed('box', 'ada', '1 key', []);
const changed = hostKeyChanged('box', { file: 'known_hosts', line: 1, name: 'box', fingerprint: 'SHA256:x' });

const start = { kind: 'disconnected' } as ConnectionState;
const connected = (interactive = false): ConnectionEvent => ({ kind: 'connected', interactive });
const failed = (failure = lost): ConnectionEvent => ({ kind: 'failed', failure });

/** Runs events at times, each `[atMs, event]`, with jitter in the middle. */
const after = (...events: readonly (readonly [number, ConnectionEvent])[]): ConnectionState =>
  events.reduce<ConnectionState>((state, [atMs, event]) => nextConnection(state, event, atMs, 0.5), start);

describe('connection', () => {
  it('comes up by its steps', () => {
    expect(after([5, { kind: 'connect' }])).toEqual({
      kind: 'connecting',
      step: 'resolving',
      sinceMs: 5,
      attempt: 0,
      lastFailure: null,
    });
    expect(after([5, { kind: 'connect' }], [6, { kind: 'step', step: 'verifying' }])).toMatchObject({
      step: 'verifying',
      sinceMs: 5,
    });
    expect(after([5, { kind: 'connect' }], [9, connected(true)])).toEqual({
      kind: 'ready',
      sinceMs: 9,
      interactive: true,
      attempt: 0,
    });
  });

  it('tries a steady link again within two seconds of its loss', () => {
    const state = after([0, { kind: 'connect' }], [0, connected()], [60_000, failed()]);
    expect(state).toMatchObject({ kind: 'waiting', attempt: 1, retryAtMs: 61_500, failure: lost });
    expect(nextConnection(state, { kind: 'connect' }, 61_500, 0)).toMatchObject({
      kind: 'connecting',
      attempt: 1,
      lastFailure: lost,
    });
  });

  it('goes on counting when the link is soon lost again', () =>
    expect(after([0, { kind: 'connect' }], [0, connected()], [59_999, failed()])).toMatchObject({
      kind: 'waiting',
      attempt: 2,
      retryAtMs: 71_999,
    }));

  it('begins anew when the user does not want to wait', () =>
    expect(after([0, { kind: 'connect' }], [1, failed(down)], [2, { kind: 'connect' }])).toMatchObject({
      kind: 'connecting',
      attempt: 0,
      lastFailure: down,
    }));

  it('waits for the user after what no repetition cures', () => {
    for (const failure of [denied, changed])
      expect(after([0, { kind: 'connect' }], [1, failed(failure)])).toEqual({ kind: 'needsUser', sinceMs: 1, failure });
  });

  it('asks for a sign-in when a link is lost that the user signed in to by hand', () =>
    expect(after([0, { kind: 'connect' }], [1, connected(true)], [90_000, failed()])).toMatchObject({
      kind: 'needsUser',
      failure: { kind: 'signInNeeded', retry: 'user', message: lost.message },
    }));

  it('is disconnected after a cancelled try', () =>
    expect(after([0, { kind: 'connect' }], [1, failed(cancelled())])).toEqual(start));

  it('passes late events over', () => {
    for (const event of [connected(), failed(), { kind: 'step', step: 'starting' }] satisfies ConnectionEvent[])
      expect(nextConnection(start, event, 1, 0)).toBe(start);
  });
});

describe('connection, whatever happens', () => {
  const steps: readonly ConnectStep[] = ['resolving', 'connecting', 'verifying', 'authenticating', 'starting'];
  const event: fc.Arbitrary<ConnectionEvent> = fc.oneof(
    fc.constant<ConnectionEvent>({ kind: 'connect' }),
    fc.constantFrom(...steps).map((step): ConnectionEvent => ({ kind: 'step', step })),
    fc.boolean().map(connected),
    fc.constantFrom(lost, down, denied, changed, cancelled()).map(failed),
    fc.constant<ConnectionEvent>({ kind: 'disconnect' }),
  );
  const unit = fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true });
  const history = fc.array(fc.tuple(event, fc.nat(100_000), unit), { maxLength: 60 });

  it('a link that is up is shown as nothing else until it is lost or given up', () => {
    fc.assert(
      fc.property(history, events => {
        let state = start;
        let nowMs = 0;
        for (const [next, waitMs, random] of events) {
          const before = state;
          nowMs += waitMs;
          state = nextConnection(before, next, nowMs, random);
          if (before.kind === 'ready' && next.kind !== 'failed' && next.kind !== 'disconnect')
            expect(state).toBe(before);
          if (before.kind === 'connecting' && next.kind === 'connected') expect(state.kind).toBe('ready');
          if (next.kind === 'disconnect') expect(state.kind).toBe('disconnected');
        }
      }),
    );
  });

  it('only a failure that time may cure is waited for, and never after a sign-in by hand', () => {
    fc.assert(
      fc.property(history, events => {
        let state = start;
        for (const [next, waitMs, random] of events) {
          const before = state;
          state = nextConnection(before, next, waitMs, random);
          if (state.kind !== 'waiting' || state === before) continue;
          expect(state.failure.retry).toBe('auto');
          expect(before.kind === 'ready' && before.interactive).toBe(false);
        }
      }),
    );
  });

  it('begins at most three tries in any minute by itself, however they end', () => {
    const lives = fc.array(fc.tuple(fc.oneof(fc.constant(-1), fc.nat(100_000)), unit), { minLength: 4, maxLength: 40 });
    fc.assert(
      fc.property(lives, ups => {
        let state: ConnectionState = nextConnection(start, { kind: 'connect' }, 0, 0);
        let nowMs = 0;
        const tries = [0];
        for (const [upMs, random] of ups) {
          if (upMs >= 0) {
            state = nextConnection(state, connected(), nowMs, random);
            nowMs += upMs;
          }
          state = nextConnection(state, failed(upMs >= 0 ? lost : down), nowMs, random);
          if (state.kind !== 'waiting') throw new Error(`not waiting but ${state.kind}`);
          expect(state.retryAtMs - nowMs).toBeLessThanOrEqual(300_000);
          nowMs = state.retryAtMs;
          state = nextConnection(state, { kind: 'connect' }, nowMs, random);
          tries.push(nowMs);
        }
        for (const [index, atMs] of tries.entries())
          expect(tries[index + 3] ?? Infinity).toBeGreaterThan(atMs + 60_000);
      }),
    );
  });
});
