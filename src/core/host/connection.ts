import type { Failure } from '../errors';
import { retryDelayMs, steadyAfterMs } from './backoff';

/**
 * The one state machine of a connection. Everything that is shown of a connection derives from this value; nothing else
 * remembers whether a host is connected.
 */
export type ConnectionState =
  /** Never asked for, or ended by the user. */
  | { readonly kind: 'disconnected' }
  | {
      readonly kind: 'connecting';
      readonly step: ConnectStep;
      readonly sinceMs: number;
      /** 0 for a try that the user asked for; else its number since the link was last up for a while. */
      readonly attempt: number;
      /** Why the previous try failed; null on the first. */
      readonly lastFailure: Failure | null;
    }
  | {
      readonly kind: 'ready';
      readonly sinceMs: number;
      /** The user had to type or touch something to sign in. */
      readonly interactive: boolean;
      /** Of the try that brought it up: a link that is soon lost again does not begin a new count. */
      readonly attempt: number;
    }
  /** The link is down and will be tried again by itself at `retryAtMs`. */
  | {
      readonly kind: 'waiting';
      readonly sinceMs: number;
      readonly retryAtMs: number;
      readonly attempt: number;
      readonly failure: Failure;
    }
  /** Will not be tried again without the user: a host key, a sign-in, a bad name. */
  | { readonly kind: 'needsUser'; readonly sinceMs: number; readonly failure: Failure };

export type ConnectStep = 'resolving' | 'connecting' | 'verifying' | 'authenticating' | 'starting';

export type ConnectionEvent =
  /** The user, or a timer that is due, wants the link up. */
  | { readonly kind: 'connect' }
  | { readonly kind: 'step'; readonly step: ConnectStep }
  /** `interactive`: the user had to type or touch something, so this host is never signed in to again by itself. */
  | { readonly kind: 'connected'; readonly interactive: boolean }
  | { readonly kind: 'failed'; readonly failure: Failure }
  | { readonly kind: 'disconnect' };

/**
 * What a connection becomes when `event` happens to it. An event that means nothing in a state (a late answer to a try that
 * was given up) leaves it as it is, the same object.
 *
 * @param random in [0, 1), for the jitter of a retry
 */
export function nextConnection(
  state: ConnectionState,
  event: ConnectionEvent,
  nowMs: number,
  random: number,
): ConnectionState {
  switch (event.kind) {
    case 'connect':
      return connecting(state, nowMs);
    case 'step':
      return state.kind === 'connecting' && state.step !== event.step ? { ...state, step: event.step } : state;
    case 'connected':
      return state.kind === 'connecting'
        ? { kind: 'ready', sinceMs: nowMs, interactive: event.interactive, attempt: state.attempt }
        : state;
    case 'failed':
      return failed(state, event.failure, nowMs, random);
    case 'disconnect':
      return state.kind === 'disconnected' ? state : { kind: 'disconnected' };
  }
}

/** Why the link is not up, as far as is known; of a try that is under way, why the one before it failed. */
export function failureOf(connection: ConnectionState): Failure | null {
  if (connection.kind === 'connecting') return connection.lastFailure;
  return connection.kind === 'waiting' || connection.kind === 'needsUser' ? connection.failure : null;
}

/** A host that the user had to sign in to is not signed in to again by itself: that would send pushes and lock accounts. */
export const asSignInNeeded = (failure: Failure): Failure =>
  failure.retry === 'user'
    ? failure
    : { ...failure, kind: 'signInNeeded', retry: 'user', advice: 'Connect to sign in again.' };

function connecting(state: ConnectionState, nowMs: number): ConnectionState {
  if (state.kind === 'connecting' || state.kind === 'ready') return state;
  const due = state.kind === 'waiting' && nowMs >= state.retryAtMs;
  return {
    kind: 'connecting',
    step: 'resolving',
    sinceMs: nowMs,
    attempt: due ? state.attempt : 0,
    lastFailure: state.kind === 'waiting' ? state.failure : null,
  };
}

function failed(state: ConnectionState, failure: Failure, nowMs: number, random: number): ConnectionState {
  if (state.kind !== 'connecting' && state.kind !== 'ready') return state;
  if (failure.kind === 'cancelled') return { kind: 'disconnected' };
  if (failure.retry === 'user') return { kind: 'needsUser', sinceMs: nowMs, failure };
  if (state.kind === 'ready' && state.interactive)
    return { kind: 'needsUser', sinceMs: nowMs, failure: asSignInNeeded(failure) };
  const attempt = nextAttempt(state, nowMs);
  return { kind: 'waiting', sinceMs: nowMs, retryAtMs: nowMs + retryDelayMs(attempt, random), attempt, failure };
}

/** The try that just failed counts as the first, also when it was the user's: servers count it too. */
function nextAttempt(state: ConnectionState & { readonly kind: 'connecting' | 'ready' }, nowMs: number): number {
  const steady = state.kind === 'ready' && nowMs - state.sinceMs >= steadyAfterMs;
  return steady ? 1 : Math.max(1, state.attempt) + 1;
}
