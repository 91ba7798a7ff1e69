/**
 * Everything that can go wrong between the user and a host, one factory each. Code asks for `kind`; people read `message`,
 * which says what happened and why, and `advice`, which says what to do. Texts from a host are plain data inside them and
 * pass `plain()` before they are shown.
 */
export type FailureKind =
  | 'badHostName'
  | 'sshConfig'
  | 'unresolvable'
  | 'unreachable'
  | 'timeout'
  | 'closedEarly'
  | 'noCommonAlgorithm'
  | 'hostKeyUnknown'
  | 'hostKeyChanged'
  | 'hostKeyRevoked'
  | 'hostKeyUnreadable'
  | 'authentication'
  | 'signInNeeded'
  | 'unsupported'
  | 'proxy'
  | 'noCommands'
  | 'notLinux'
  | 'channels'
  | 'lost'
  | 'cancelled'
  | 'internal';

export interface Failure {
  readonly kind: FailureKind;
  /** What happened and why, one sentence or two. */
  readonly message: string;
  /** What the user can do about it. */
  readonly advice: string;
  /** May be tried again without the user: never after a host-key or authentication failure. */
  readonly retry: 'auto' | 'user';
  /** Details for the log. */
  readonly detail: string | null;
}
