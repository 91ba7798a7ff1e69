import { messageOf } from './base/thrown';
import type { LaunchRefusal } from './job/directory/launchAnswer';

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
  | 'jobPlace'
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
}

const failure = (kind: FailureKind, retry: Failure['retry'], message: string, advice: string): Failure => ({
  kind,
  message,
  advice,
  retry,
});

// ---- The name and the configuration ----

/** `typed` cannot be a host; `reason` says why, as the end of a sentence. */
export const badHostName = (typed: string, reason: string): Failure =>
  failure(
    'badHostName',
    'user',
    `“${typed}” is not a host: ${reason}.`,
    'Type an alias of your SSH configuration, user@host or user@host:port.',
  );

/** `ssh -G` refused the user's configuration. `line` is what ssh wrote. */
export const sshConfigRejected = (host: string, line: string): Failure =>
  failure(
    'sshConfig',
    'user',
    `ssh cannot read its configuration for ${host}: ${line}`,
    'Correct that line of the SSH configuration, then connect again.',
  );

export const sshConfigTooSlow = (host: string, limitMs: number): Failure =>
  failure(
    'sshConfig',
    'user',
    `ssh took longer than ${Math.round(limitMs / 1000)} s to read its configuration for ${host}.`,
    'A “Match exec” command that hangs is the usual cause: try “ssh -G” with this host in a terminal.',
  );

/** `what` is configured for the host and leaving it out would be less safe than the user wants. */
export const unsupportedSetting = (host: string, what: string): Failure =>
  failure(
    'unsupported',
    'user',
    `The SSH configuration of ${host} uses ${what}, which Headroom does not support yet.`,
    `Connect without it, or by another entry of the configuration.`,
  );

// ---- The way to the host ----

/** `name` is what was looked up: the host's own, or the one that its alias stands for. */
export const unresolvable = (host: string, name: string): Failure =>
  failure(
    'unresolvable',
    'auto',
    name === host
      ? `The name ${name} cannot be resolved.`
      : `${host} cannot be reached: the name ${name} cannot be resolved.`,
    'Check the spelling, the network and whether a VPN is needed.',
  );

export const refused = (host: string, address: string): Failure =>
  failure(
    'unreachable',
    'auto',
    `${address} refused the connection: no SSH server listens there.`,
    `Check the port, and that the SSH server of ${host} is running.`,
  );

export const unreachable = (host: string, address: string, detail: string): Failure =>
  failure(
    'unreachable',
    'auto',
    `${address} cannot be reached (${detail}).`,
    `Check the network, and whether ${host} needs a VPN or a jump host.`,
  );

export const connectTimedOut = (host: string, address: string, limitMs: number): Failure =>
  failure(
    'timeout',
    'auto',
    `${address} did not answer within ${Math.round(limitMs / 1000)} s.`,
    `Check that ${host} is up, the network, and whether a VPN or a jump host is needed.`,
  );

/** The link was closed before the server said that it speaks SSH. */
export const closedEarly = (host: string, address: string): Failure =>
  failure(
    'closedEarly',
    'auto',
    `${address} closed the connection before its SSH banner: you may be rate-limited.`,
    `Wait a few minutes before you try again, and check that an SSH server of ${host} listens at this port.`,
  );

/** `what` names what could not be agreed on: "key exchange algorithm", "cipher". */
export const noCommonAlgorithm = (host: string, what: string): Failure =>
  failure(
    'noCommonAlgorithm',
    'user',
    `${host} and Headroom have no ${what} in common.`,
    'Very old, very hardened and post-quantum-only servers are not supported yet: ask for one more algorithm on the server.',
  );

export const handshakeFailed = (host: string, detail: string): Failure =>
  failure('unreachable', 'auto', `The SSH handshake with ${host} failed: ${detail}`, 'Try again; the log has details.');

export const proxyFailed = (host: string, detail: string): Failure =>
  failure(
    'proxy',
    'auto',
    `The proxy to ${host} ended: ${detail}`,
    'Try “ssh” with this host in a terminal; the jump host must be known there and must not ask anything.',
  );

/** The jump host's own sign-in or host key is the cause, which no repetition cures. */
export const proxyNeedsUser = (host: string, detail: string): Failure => ({
  ...proxyFailed(host, detail),
  retry: 'user',
});

// ---- Its key ----

/** Nobody may be asked, or the configuration forbids asking. */
export const hostKeyUnknown = (host: string, fingerprint: string, strict: boolean): Failure =>
  failure(
    'hostKeyUnknown',
    'user',
    `The key of ${host} is not known (${fingerprint}).`,
    strict
      ? 'StrictHostKeyChecking is “yes” for it: add its key to known_hosts yourself.'
      : 'Connect by hand to see the fingerprint and accept the key.',
  );

/** Another key is on record, and this one is not. `name` is the name under which it is on record. */
export const hostKeyChanged = (
  host: string,
  where: { readonly file: string; readonly line: number; readonly name: string; readonly fingerprint: string },
): Failure =>
  failure(
    'hostKeyChanged',
    'user',
    `The key of ${host} has changed: it is now ${where.fingerprint}, and ${where.file}:${where.line} has another one. ` +
      'Either the machine was set up anew, or somebody is listening in.',
    `If you know why it changed, remove the old key: ssh-keygen -R '${where.name}' -f '${where.file}'`,
  );

export const hostKeyRevoked = (host: string, file: string, line: number): Failure =>
  failure(
    'hostKeyRevoked',
    'user',
    `The key of ${host} is marked as revoked in ${file}:${line}.`,
    'Do not connect until its administrator has told you why.',
  );

export const hostKeyUnreadable = (file: string, detail: string): Failure =>
  failure(
    'hostKeyUnreadable',
    'user',
    `The known host keys in ${file} cannot be read (${detail}), so the key of the host cannot be checked.`,
    'Make the file readable for you.',
  );

export const hostKeyNotSaved = (file: string, detail: string): Failure =>
  failure(
    'hostKeyUnreadable',
    'user',
    `The key was accepted and could not be written to ${file} (${detail}).`,
    'Make the file writable for you.',
  );

// ---- Signing in ----

/** `tried` as words ("2 keys, password"); `unsupported` names ways to sign in that are configured and not supported yet. */
export const authenticationFailed = (
  host: string,
  user: string,
  tried: string,
  unsupported: readonly string[],
): Failure =>
  failure(
    'authentication',
    'user',
    `${host} did not let ${user} in: tried ${tried}.`,
    unsupported.length === 0
      ? 'Check the user name and which keys or passwords the host accepts.'
      : `Not supported yet: ${unsupported.join(', ')}. Use another key or a password for this host.`,
  );

export const signInNeeded = (host: string): Failure =>
  failure('signInNeeded', 'user', `${host} wants you to sign in.`, 'Connect to sign in.');

export const signInTimedOut = (host: string, limitMs: number): Failure =>
  failure(
    'timeout',
    'user',
    `${host} did not finish the sign-in within ${Math.round(limitMs / 1000)} s.`,
    'Connect again; a second factor may be waiting to be confirmed.',
  );

/** Servers wait for an answer only so long. */
export const closedWhileAsking = (host: string): Failure =>
  failure(
    'timeout',
    'user',
    `${host} closed the connection before it had an answer.`,
    'Connect again, and answer within the two minutes that most servers wait.',
  );

/** The account wants a new password before it runs anything, which is best done in a terminal. */
export const passwordExpired = (host: string): Failure =>
  failure(
    'authentication',
    'user',
    `${host} wants the password changed first.`,
    `Sign in to ${host} with “ssh” in a terminal, change the password, then connect again.`,
  );

// ---- A link that is up ----

/** The host lets the user in and runs nothing for them (ForceCommand, nologin, a menu). */
export const noCommands = (host: string): Failure =>
  failure(
    'noCommands',
    'user',
    `${host} does not run commands for this login.`,
    'Its shell may be restricted, or start-up files may wait for input. Try: ssh -T host /bin/sh -c "echo ok"',
  );

/** `system` is what `uname -s` says there. */
export const notLinux = (host: string, system: string): Failure =>
  failure(
    'notLinux',
    'user',
    `${host} runs ${system === '' ? 'an unknown system' : system}; Headroom watches Linux hosts.`,
    'Connect to a Linux host.',
  );

export const noChannels = (host: string, detail: string): Failure =>
  failure(
    'channels',
    'auto',
    `${host} opens no session on this connection (${detail}).`,
    'Ask for MaxSessions above 0.',
  );

/** What runs on the host cannot be told, so nothing of it may be signalled. */
export const processesUnreadable = (host: string): Failure =>
  failure(
    'unsupported',
    'user',
    `The processes on ${host} cannot be read.`,
    'Stopping a job needs /proc and the tool grep there. Look at the job in a terminal.',
  );

/** A script ran and did not say what it always says: it was killed on the way, or the answer was cut off. */
export const unreadableAnswer = (host: string): Failure =>
  failure('internal', 'auto', `${host} gave no complete answer.`, 'Try again; the host may be out of memory.');

/** A script did not finish in time on a link that answered nothing. */
export const deadlinePassed = (host: string, limitMs: number): Failure =>
  failure(
    'timeout',
    'auto',
    `${host} did not answer a command within ${Math.round(limitMs / 100) / 10} s.`,
    'The host may be overloaded or the network down.',
  );

export const tooMuchOutput = (host: string): Failure =>
  failure('internal', 'user', `A command on ${host} wrote more than can be read.`, 'Report this with the log.');

/** The script that feeds a stream ended by itself. */
export const streamEnded = (host: string, detail: string): Failure =>
  failure('lost', 'auto', `The stream from ${host} ended (${detail}).`, 'It is started again by itself.');

/** The link broke, for whatever reason. `detail` is the transport's word for it. */
export const linkLost = (host: string, detail: string): Failure =>
  failure('lost', 'auto', `The connection to ${host} was lost (${detail}).`, 'It is tried again by itself.');

/** Something was wanted of a host while its link is down. */
export const notConnected = (host: string): Failure =>
  failure('lost', 'user', `${host} is not connected.`, 'Connect to it first.');

// ---- The job directory ----

/** Nothing was started and nothing is left behind: there is no place for jobs, or a tool is missing. */
export const launchRefused = (host: string, { reason, detail, writable }: LaunchRefusal): Failure => {
  const there = writable === null ? '' : `: ${writable} can be written to`;
  const elsewhere = `Choose another folder for the state of jobs in the settings${there}.`;
  const roomOrElsewhere = `Make room, or choose another folder for the state of jobs in the settings${there}.`;
  const said = detail === '' ? '' : ` (${detail})`;
  const because = (why: string, advice: string): Failure =>
    failure('jobPlace', 'user', `${host} cannot run jobs: ${why}.`, advice);
  switch (reason) {
    case 'noSetsid':
      return because(
        'the tool “setsid” is not there, without which a job would end with the connection',
        'Install util-linux or busybox there.',
      );
    case 'noProc':
      return because('/proc cannot be read, so no process could be told from another', 'Ask for /proc to be mounted.');
    case 'noHome':
      return because('the login has no home directory', elsewhere);
    case 'badState':
      return because(
        'the folder for the state of jobs in the settings is no absolute path',
        'Let it begin with / or ~/.',
      );
    case 'notOurs':
      return because(
        `a folder for jobs belongs to somebody else, who could read and change them${said}`,
        'Choose a folder of your own in the settings.',
      );
    case 'diskFull':
      return because(`the disk is full where jobs are kept${said}`, roomOrElsewhere);
    case 'quota':
      return because(`your quota is used up where jobs are kept${said}`, roomOrElsewhere);
    case 'readOnly':
      return because(`the file system where jobs are kept is read-only${said}`, elsewhere);
    case 'denied':
      return because(`the folder where jobs are kept may not be written to${said}`, elsewhere);
    case 'noPlace':
      return because(`there is no place for it${said}`, elsewhere);
  }
};

/** What was found before the launch forbids it, and it was tried all the same. */
export const launchForbidden = (host: string): Failure =>
  failure(
    'unsupported',
    'user',
    `The job cannot be launched on ${host} as it is.`,
    'Correct what was found, then launch it again.',
  );

// ---- At any time ----

export const cancelled = (): Failure => failure('cancelled', 'user', 'Cancelled.', 'Connect again when you want to.');

/** A defect of ours. `cause` is what was thrown, or words. */
export const internal = (cause: unknown): Failure =>
  failure('internal', 'user', `Something went wrong inside Headroom: ${messageOf(cause)}`, 'Report this with the log.');
