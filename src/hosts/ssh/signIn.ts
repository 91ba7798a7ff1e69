import ssh2, { type AnyAuthMethod, type ParsedKey, type Prompt } from 'ssh2';
import type { Log, Prompts } from '../../control/ports';
import { stackOf } from '../../core/base/thrown';
import { authenticationFailed, cancelled, signInNeeded, type Failure } from '../../core/errors';
import type { AuthMethod, SshSettings } from '../../core/host/sshSettings';
import { OneKeyAgent, signByAgent, type Sign } from './agent';
import { findIdentities, type Identity } from './identities';
import type { KeyRing, LoadedKey } from './keyRing';

/** One sign-in: gives the next attempt each time the server has answered, and remembers what became of it. */
export interface SignIn {
  /** ssh2's `authHandler`. */
  readonly handler: (
    methodsLeft: readonly string[] | null,
    partial: boolean | null,
    next: (attempt: NextAttempt) => void,
  ) => void;
  /** ssh2's `debug`; see `hear`. */
  readonly hear: (text: string) => void;
  /** Why the user was not let in, as far as it is known now. */
  failure(): Failure;
  /** Whether the user gave an answer that only they can give again. */
  readonly interactive: boolean;
  readonly triedAnything: boolean;
}

/** `false`: there is nothing left to try. */
export type NextAttempt = AnyAuthMethod | false;

export interface SignInContext {
  readonly host: string;
  readonly settings: SshSettings;
  readonly prompts: Prompts | null;
  readonly keyRing: KeyRing;
  readonly log: Log;
  /** Ends the connection: the user declined. */
  readonly abort: () => void;
}

/** Servers end the connection at the sixth failure (MaxAuthTries of sshd_config(5)); one is left for a password. */
const mostFailuresByKeys = 5;

const passphraseTries = 3;

export function createSignIn(context: SignInContext): SignIn {
  const { host, settings, prompts, keyRing, log } = context;
  const { user: username } = settings;

  // What the server has said.
  let methods: readonly string[] = [];
  let failures = 0;
  let partials = 0;
  let lastByAgent = false;

  // What was done.
  const spent = new Set<Identity>();
  const tried = { keys: 0, password: false, keyboard: false };
  let unsupported: readonly string[] = [];
  let declined = false;
  let answerNeeded = false;
  let interactive = false;

  const noteAnswer = (left: readonly string[], partial: boolean): void => {
    methods = left;
    if (partial) partials++;
  };

  /** Attempts of one method, until it is used up or the server wants another one as well. */
  async function* attemptsBy(method: AuthMethod): AsyncGenerator<AnyAuthMethod, void> {
    const partialsBefore = partials;
    const attempts = { publickey: byKey, password: byPassword, 'keyboard-interactive': byKeyboard }[method]();
    for await (const attempt of attempts) {
      yield attempt;
      if (partials > partialsBefore || declined) return;
    }
  }

  async function* allAttempts(): AsyncGenerator<AnyAuthMethod, void> {
    yield { type: 'none', username };
    failures = 0;
    const usedUp = new Set<AuthMethod>();
    for (;;) {
      const method = settings.authMethods.find(one => methods.includes(one) && !usedUp.has(one));
      if (method === undefined) return;
      const partialsBefore = partials;
      yield* attemptsBy(method);
      if (declined) return;
      if (partials === partialsBefore) usedUp.add(method);
    }
  }

  async function* byKey(): AsyncGenerator<AnyAuthMethod, void> {
    const identities = await findIdentities(settings, keyRing, log);
    unsupported = identities.unsupported;
    for (const identity of identities.list) {
      if ([...spent].some(one => publicOf(one) === publicOf(identity))) continue;
      // ssh2 offers an RSA key once for each of its signature algorithms.
      const cost = typeOf(identity) === 'ssh-rsa' ? 2 : 1;
      if (spent.size > 0 && failures + cost > mostFailuresByKeys) {
        log.info(`${host}: more keys than the server lets us try; the rest is left out`);
        return;
      }
      const attempt = await attemptWith(identity);
      if (attempt === null) continue;
      spent.add(identity);
      tried.keys++;
      yield attempt;
    }
  }

  async function attemptWith(identity: Identity): Promise<AnyAuthMethod | null> {
    if (identity.kind === 'agent') {
      const agent = new OneKeyAgent(identity.key.key, signByAgent(identity.key));
      return { type: 'agent', username, agent };
    }
    const { key } = identity;
    if (key.content.kind === 'key') return { type: 'publickey', username, key: key.content.text };
    // The public half is shown first: nobody is asked for the passphrase of a key that the server does not want.
    const shown = key.public === null ? null : parsed(`${key.public.type} ${key.public.base64}`);
    if (shown !== null) return { type: 'agent', username, agent: new OneKeyAgent(shown, signAfterUnlocking(key)) };
    const text = await unlocked(key);
    return text === null ? null : { type: 'publickey', username, key: text };
  }

  function signAfterUnlocking(key: LoadedKey): Sign {
    return async (data, hash) => {
      const text = await unlocked(key);
      const signer = text === null ? null : parsed(text);
      if (signer === null) throw new Error(`${key.file} stays locked`);
      return signer.sign(data, hash);
    };
  }

  /** The key without its encryption, or null when nobody could open it. */
  async function unlocked(key: LoadedKey): Promise<string | null> {
    if (prompts === null) {
      answerNeeded = true;
      return null;
    }
    for (let count = 0; count < passphraseTries; count++) {
      const question = { kind: 'passphrase', host, keyFile: key.file, wrongBefore: count > 0 } as const;
      const passphrase = await prompts.secret(question);
      if (passphrase === null) return null;
      const content = await keyRing.unlock(key, passphrase);
      if (content.kind === 'key') return content.text;
      if (content.kind !== 'wrongPassphrase') return null;
    }
    return null;
  }

  async function* byPassword(): AsyncGenerator<AnyAuthMethod, void> {
    // A server that asks questions too gets to ask them in its own words after one wrong password.
    const questionsToo =
      methods.includes('keyboard-interactive') && settings.authMethods.includes('keyboard-interactive');
    const tries = questionsToo ? 1 : settings.numberOfPasswordPrompts;
    for (let count = 0; count < tries; count++) {
      if (prompts === null) {
        answerNeeded = true;
        return;
      }
      const question = { kind: 'password', host, user: username, wrongBefore: count > 0 } as const;
      const password = await prompts.secret(question);
      if (password === null) {
        declined = true;
        return;
      }
      interactive = true;
      tried.password = true;
      yield { type: 'password', username, password };
    }
  }

  function* byKeyboard(): Generator<AnyAuthMethod, void> {
    for (let count = 0; count < settings.numberOfPasswordPrompts; count++) {
      // Even a round without questions may send a push to a telephone: never by itself.
      if (prompts === null) {
        answerNeeded = true;
        return;
      }
      let asked = false as boolean;
      tried.keyboard = true;
      interactive = true;
      yield {
        type: 'keyboard-interactive',
        username,
        prompt(name, instructions, _language, questions, finish) {
          asked = true;
          void askAll(prompts, name, instructions, questions).then(answers => {
            if (answers === null) {
              declined = true;
              context.abort();
            } else finish([...answers]);
          });
        },
      };
      if (!asked) return;
    }
  }

  function askAll(asked: Prompts, name: string, instructions: string, questions: readonly Prompt[]) {
    const list = questions.map(({ prompt, echo }) => ({ text: prompt, echo: echo ?? false }));
    return asked.answers({ host, name, instructions, prompts: list });
  }

  const attempts = allAttempts();
  return {
    handler(methodsLeft, partial, next) {
      // After an attempt by agent ssh2 repeats an older answer here; the true one was heard.
      if (methodsLeft !== null && !lastByAgent) noteAnswer(methodsLeft, partial === true);
      attempts.next().then(
        ({ value }) => {
          const attempt: NextAttempt = value ?? false;
          lastByAgent = attempt !== false && attempt.type === 'agent';
          next(attempt);
        },
        (error: unknown) => {
          log.error(`${host}: sign-in: ${stackOf(error)}`);
          next(false);
        },
      );
    },
    /** The only way to learn how the server answered an attempt by agent: ssh2 1.17 tells the handler nothing of it. */
    hear(text) {
      const left = /^Inbound: Received USERAUTH_FAILURE \((.*)\)$/.exec(text)?.[1]?.split(',');
      if (left === undefined) return;
      failures++;
      if (lastByAgent) noteAnswer(left, left.join() !== methods.join());
    },
    failure() {
      if (declined) return cancelled();
      if (answerNeeded) return signInNeeded(host);
      // Distributions switch Kerberos on for everybody: it is worth a word only where the server has it too.
      const kerberos = settings.gssapi && methods.includes('gssapi-with-mic') ? ['Kerberos (GSSAPI)'] : [];
      return authenticationFailed(host, username, wordsFor(tried), [...unsupported, ...kerberos]);
    },
    get interactive() {
      return interactive;
    },
    get triedAnything() {
      return tried.keys > 0 || tried.password || tried.keyboard;
    },
  };
}

function wordsFor(tried: { readonly keys: number; readonly password: boolean; readonly keyboard: boolean }): string {
  const words = [
    ...(tried.keys > 0 ? [tried.keys === 1 ? '1 key' : `${tried.keys} keys`] : []),
    ...(tried.password ? ['password'] : []),
    ...(tried.keyboard ? ['keyboard-interactive'] : []),
  ];
  return words.join(', ') || 'nothing, for no key was found and no other way in is open';
}

function parsed(text: string): ParsedKey | null {
  const key = ssh2.utils.parseKey(text);
  return 'message' in key ? null : key;
}

function publicOf(identity: Identity): string {
  return identity.kind === 'agent' ? identity.key.publicBase64 : (identity.key.public?.base64 ?? identity.key.text);
}

function typeOf(identity: Identity): string | undefined {
  return identity.kind === 'agent' ? identity.key.type : identity.key.public?.type;
}
