import { connect as connectTcp } from 'node:net';
import type { Duplex } from 'node:stream';
import ssh2, { type Client } from 'ssh2';
import type { ConnectOptions, Log, Prompts } from '../../control/ports';
import {
  cancelled,
  closedWhileAsking,
  connectTimedOut,
  internal,
  noCommonAlgorithm,
  passwordExpired,
  signInTimedOut,
  type Failure,
} from '../../core/errors';
import type { SshSettings } from '../../core/host/sshSettings';
import { missingFrom, offerFor, type Offer } from './algorithms';
import { connectFailureOf } from './connectFailure';
import { createHostKeyChecker, type HostKeyCheck } from './hostKeyCheck';
import { createSignIn, type SignIn } from './signIn';
import { startPausableTimer, type PausableTimer } from './pausableTimer';
import { startProxy } from './proxy';
import type { KeyRing } from './keyRing';
import type { SshWorld } from './settings';

/** An SSH link that let the user in. */
export interface Link {
  readonly client: Client;
  readonly interactive: boolean;
  /** Ends the link at once, and the program it runs through. */
  readonly destroy: () => void;
}

export type LinkResult = { readonly kind: 'up'; readonly link: Link } | { kind: 'failed'; failure: Failure };

export interface LinkContext {
  /** As the user named it. */
  readonly host: string;
  readonly settings: SshSettings;
  readonly world: SshWorld;
  readonly keyRing: KeyRing;
  /** As in `HostKeyContext`. */
  readonly acceptedHere: Set<string>;
  readonly log: Log;
  readonly options: ConnectOptions;
}

/** From dialling to the end of the exchange of keys, without the time that questions take. */
const handshakeLimitMs = 20_000;
/** For all of the sign-in, without the time that questions take; servers allow 120 s (LoginGraceTime). */
const signInLimitMs = 120_000;
/** Messages of one server that are logged: it may send as many as it likes before anybody has signed in. */
const mostSaid = 10;
/** Asking more often than this ends links that are slow and busy, not only dead ones. */
const keepAliveFloorMs = 5_000;

/** Dials, checks the host key, signs in. Everything about the first cause of a failure is kept; what follows from it is not. */
export async function openLink(context: LinkContext): Promise<LinkResult> {
  const { host, settings, keyRing, acceptedHere, options, log } = context;
  const { signal } = options;
  let timer: PausableTimer | null = null;
  const over = new AbortController();
  const prompts =
    options.prompts === null
      ? null
      : askingThrough(options.prompts, over.signal, ask => timer?.whilePaused(ask) ?? ask());

  const made = await createHostKeyChecker({ host, settings, prompts, log, acceptedHere });
  if (made.kind === 'failed') return made;
  const offer = offerFor(settings, made.checker.knownTypes);
  const missing = missingFrom(offer);
  if (missing !== null) return { kind: 'failed', failure: noCommonAlgorithm(host, missing) };
  if (signal.aborted) return { kind: 'failed', failure: cancelled() };

  const proxy = settings.proxy === null ? null : startProxy(settings.proxy, host, settings, context.world, log);
  const socket: Duplex = proxy?.sock ?? dial(settings);
  const client = new ssh2.Client();
  const destroy = (): void => {
    socket.destroy();
    proxy?.end();
  };
  const signIn = createSignIn({ host, settings, prompts, keyRing, log, abort: destroy });
  const address = `${settings.host}:${settings.port}`;
  const limitMs = settings.connectTimeoutMs ?? handshakeLimitMs;

  return await new Promise<LinkResult>(resolve => {
    let phase: 'dialling' | 'signingIn' | 'settled' = 'dialling';
    let lastError: (Error & { readonly code?: string | number; readonly level?: string }) | null = null;

    const settle = (result: LinkResult): void => {
      if (phase === 'settled') return;
      phase = 'settled';
      timer?.stop();
      signal.removeEventListener('abort', onAbort);
      over.abort();
      if (result.kind === 'failed') destroy();
      resolve(result);
    };
    const fail = (failure: Failure): void => settle({ kind: 'failed', failure });
    const onAbort = (): void => fail(cancelled());
    signal.addEventListener('abort', onAbort, { once: true });
    timer = startPausableTimer(limitMs, () => fail(connectTimedOut(host, address, limitMs)));

    // For the whole life of the client: without a listener an error would end the process.
    let broken = false;
    client.on('error', (error: Error & { readonly level?: string }) => {
      if (broken) return;
      lastError = error;
      log.info(`${host}: ${error.message}`);
      // One attempt to sign in that went wrong is followed by the next. After anything else ssh2 only says goodbye, and
      // goes on reading what the server sends, and failing, for as long as it sends.
      broken = error.level !== 'agent' && error.level !== 'client-authentication';
      if (broken) socket.destroy();
    });
    client.on('connect', () => client.setNoDelay(true));
    logWhatIsSaid(client, host, log);
    client.on('change password', () => fail(passwordExpired(host)));
    client.once('handshake', () => {
      if (phase !== 'dialling') return;
      phase = 'signingIn';
      timer?.stop();
      timer = startPausableTimer(signInLimitMs, () => fail(signInTimedOut(host, signInLimitMs)));
      options.onStep('authenticating');
    });
    client.once('ready', () => settle({ kind: 'up', link: { client, interactive: signIn.interactive, destroy } }));
    client.once('close', () => {
      if (timer?.isPaused === true) fail(closedWhileAsking(host));
      else if (phase === 'signingIn') fail(signInFailure(signIn, lastError, host, address, limitMs));
      else if (phase === 'dialling') {
        const error = lastError ?? new Error('the connection was closed');
        void (proxy?.failure() ?? Promise.resolve(null)).then(failure =>
          fail(failure ?? connectFailureOf(error, host, address, limitMs)),
        );
      }
    });

    options.onStep('connecting');
    const check: HostKeyCheck = async blob => {
      options.onStep('verifying');
      const failure = await made.checker.check(blob);
      if (failure !== null) fail(failure);
      return failure;
    };
    try {
      startClient(client, { settings, socket, offer, check, signIn });
    } catch (error) {
      fail(internal(error));
    }
  });
}

/**
 * The only place that starts an ssh2 client, so that none ever goes without the check of the host key: ssh2 accepts every
 * key when no verifier is given.
 */
function startClient(
  client: Client,
  parts: {
    readonly settings: SshSettings;
    readonly socket: Duplex;
    readonly offer: Offer;
    readonly check: HostKeyCheck;
    readonly signIn: SignIn;
  },
): void {
  const { settings, socket, offer, check, signIn } = parts;
  const alive = settings.serverAlive ?? { intervalMs: 15_000, countMax: 3 };
  client.connect({
    sock: socket,
    username: settings.user,
    hostVerifier: (blob: Buffer, verify: (valid: boolean) => void) => {
      check(blob).then(
        failure => verify(failure === null),
        () => verify(false),
      );
    },
    authHandler: signIn.handler as never,
    debug: signIn.hear,
    // Both limits are ours, for they have to wait while a question is open.
    readyTimeout: 0,
    keepaliveInterval: Math.max(alive.intervalMs, keepAliveFloorMs),
    keepaliveCountMax: alive.countMax,
    agentForward: false,
    algorithms: {
      ...offer,
      // Never compressed: a few bytes can unpack to any size, and ssh2 throws when such a link ends.
      compress: ['none'],
    } as never,
  });
}

/** Servers greet, and warn whom they let in; a few words of that are for the log. */
function logWhatIsSaid(client: Client, host: string, log: Log): void {
  let said = 0;
  const hear = (text: string): void => {
    if (++said <= mostSaid) log.info(`${host}: ${text.trim()}`);
  };
  client.on('greeting', hear);
  client.on('banner', hear);
}

function dial(settings: SshSettings): Duplex {
  return connectTcp({
    host: settings.host,
    port: settings.port,
    ...(settings.addressFamily === null ? {} : { family: settings.addressFamily }),
    ...(settings.bindAddress === null ? {} : { localAddress: settings.bindAddress }),
  });
}

/** Questions that stop the clock while they are open. Once the try is over they are withdrawn, and no more are asked. */
function askingThrough(prompts: Prompts, over: AbortSignal, whilePaused: PausableTimer['whilePaused']): Prompts {
  const ask = async <T>(declined: T, question: () => Promise<T>): Promise<T> =>
    over.aborted ? declined : whilePaused(question);
  return {
    acceptHostKey: question => ask(false, () => prompts.acceptHostKey(question, over)),
    secret: question => ask(null, () => prompts.secret(question, over)),
    answers: question => ask(null, () => prompts.answers(question, over)),
  };
}

/** Once something was tried, a connection that ends is the server's no; before that it is a connection that broke. */
function signInFailure(
  signIn: SignIn,
  error: (Error & { readonly level?: string }) | null,
  host: string,
  address: string,
  limitMs: number,
): Failure {
  const outcome = signIn.failure();
  const saidNo = error?.level === 'client-authentication' || outcome.kind !== 'authentication' || signIn.triedAnything;
  if (saidNo) return outcome;
  return connectFailureOf(error ?? new Error('closed during the sign-in'), host, address, limitMs);
}
