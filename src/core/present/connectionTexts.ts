import type { FailureKind } from '../errors';
import type { ConnectionState, ConnectStep } from '../host/connection';
import { formatAge, formatRough } from './format';

/**
 * Where a connection is, in a few words: "connecting…", "2 min ago, retry in 12 s", "sign-in needed". `ageMs` is how old
 * what is shown of the host is, null when nothing is. null: the link is up and there is nothing to say.
 */
export function connectionWords(connection: ConnectionState, ageMs: number | null, nowMs: number): string | null {
  const age = ageMs === null ? null : formatAge(ageMs);
  switch (connection.kind) {
    case 'ready':
      return null;
    case 'disconnected':
      return 'disconnected';
    case 'connecting':
      return age === null ? 'connecting…' : `${age}, reconnecting…`;
    case 'waiting':
      return `${age ?? 'unreachable'}, ${retryWords(connection.retryAtMs, nowMs)}`;
    case 'needsUser':
      return failureWords[connection.failure.kind];
  }
}

/** The same without anything that a clock changes, for a screen reader. */
export function connectionMeaning(connection: ConnectionState): string | null {
  switch (connection.kind) {
    case 'ready':
      return null;
    case 'disconnected':
      return 'disconnected';
    case 'connecting':
      return connection.attempt > 0 ? 'reconnecting' : 'connecting';
    case 'waiting':
      return 'not reachable, will be tried again by itself';
    case 'needsUser':
      return failureWords[connection.failure.kind];
  }
}

export const stepWords: Readonly<Record<ConnectStep, string>> = {
  resolving: 'reading the SSH configuration',
  connecting: 'connecting',
  verifying: 'checking the host key',
  authenticating: 'signing in',
  starting: 'starting the watch',
};

function retryWords(retryAtMs: number, nowMs: number): string {
  return retryAtMs - nowMs < 1000 ? 'retrying' : `retry in ${formatRough(retryAtMs - nowMs)}`;
}

/** For the status bar: up to 30 characters, and they stand after the host's name. */
const failureWords: Readonly<Record<FailureKind, string>> = {
  badHostName: 'is not a host name',
  sshConfig: 'SSH configuration error',
  unresolvable: 'has no address',
  unreachable: 'unreachable',
  timeout: 'does not answer',
  closedEarly: 'closes connections',
  noCommonAlgorithm: 'no common SSH algorithm',
  hostKeyUnknown: 'host key to be confirmed',
  hostKeyChanged: 'host key changed',
  hostKeyRevoked: 'host key revoked',
  hostKeyUnreadable: 'known_hosts unreadable',
  authentication: 'sign-in failed',
  signInNeeded: 'sign-in needed',
  unsupported: 'not supported',
  proxy: 'proxy failed',
  noCommands: 'allows no commands',
  notLinux: 'is not Linux',
  channels: 'refuses more channels',
  jobPlace: 'has no place for jobs',
  lost: 'connection lost',
  cancelled: 'cancelled',
  internal: 'failed, see output',
};
