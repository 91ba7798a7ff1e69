import type { Failure } from '../errors';

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
      /** 0 for the first try, then the number of tries since the link was last up. */
      readonly attempt: number;
      /** Why the previous try failed; null on the first. */
      readonly lastFailure: Failure | null;
    }
  | { readonly kind: 'ready'; readonly sinceMs: number; readonly interactive: boolean }
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
