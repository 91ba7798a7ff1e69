import { CancellationTokenSource, l10n, window, type InputBoxOptions } from 'vscode';
import type { HostKeyQuestion, KeyboardQuestion, Prompts, SecretQuestion } from '../control/ports';
import { plain } from '../core/present/plain';

/**
 * Asks the user what connecting needs to know, one question at a time however many hosts connect. A question that nobody
 * waits for any more is withdrawn, or not asked when its turn comes.
 */
export function createPrompts(): Prompts {
  let previous: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(declined: T, signal: AbortSignal | undefined, ask: () => Promise<T>): Promise<T> => {
    const turn = previous.then(() => (signal?.aborted === true ? declined : ask()));
    previous = turn.catch(() => undefined);
    return turn;
  };
  return {
    // VS Code offers no way to close a modal message.
    acceptHostKey: (question, signal) => inTurn(false, signal, () => acceptHostKey(question)),
    secret: (question, signal) => inTurn(null, signal, () => secret(question, signal)),
    answers: (question, signal) => inTurn(null, signal, () => answers(question, signal)),
  };
}

async function acceptHostKey(question: HostKeyQuestion): Promise<boolean> {
  const host = plain(question.host);
  const accept = l10n.t('Connect');
  const detail = [
    l10n.t('Address: {0}', plain(question.address)),
    l10n.t('Key type: {0}', plain(question.keyType)),
    l10n.t('Fingerprint: {0}', plain(question.fingerprint)),
    '',
    question.file === null
      ? l10n.t('Connect only if this is the fingerprint of that machine. The key will not be remembered.')
      : l10n.t(
          'Connect only if this is the fingerprint of that machine. A line will be added to {0}.',
          plain(question.file, 300),
        ),
  ].join('\n');
  const message = l10n.t('The identity of {0} is not known yet.', host);
  return (await window.showWarningMessage(message, { modal: true, detail }, accept)) === accept;
}

async function secret(question: SecretQuestion, signal: AbortSignal | undefined): Promise<string | null> {
  const host = plain(question.host);
  const title = l10n.t('Sign in to {0}', host);
  const asked =
    question.kind === 'passphrase'
      ? l10n.t('Passphrase of the key {0}', plain(question.keyFile, 300))
      : l10n.t('Password of {0} on {1}', plain(question.user), host);
  const prompt = question.wrongBefore ? l10n.t('That was not right. {0}', asked) : asked;
  return (await input({ title, prompt, password: true }, signal)) ?? null;
}

/** The texts are the server's, and said to be: one that asks for the passphrase of a key must not look like us asking for it. */
async function answers(question: KeyboardQuestion, signal: AbortSignal | undefined): Promise<readonly string[] | null> {
  const host = plain(question.host);
  const title = l10n.t('Sign in to {0}', host);
  const about = [plain(question.name), plain(question.instructions, 500)].filter(text => text !== '').join(': ');
  const given: string[] = [];
  for (const { text, echo } of question.prompts) {
    const asked = plain(text, 300) || l10n.t('(The server asks without words)');
    const prompt = l10n.t('{0} asks: {1}', host, about === '' ? asked : `${about} ${asked}`);
    const answer = await input({ title, prompt, password: !echo }, signal);
    if (answer === undefined) return null;
    given.push(answer);
  }
  return given;
}

/** undefined when the user declined, or `signal` withdrew the question. */
async function input(options: InputBoxOptions, signal: AbortSignal | undefined): Promise<string | undefined> {
  const withdrawing = new CancellationTokenSource();
  const withdraw = (): void => withdrawing.cancel();
  signal?.addEventListener('abort', withdraw, { once: true });
  if (signal?.aborted === true) withdraw();
  try {
    return await window.showInputBox({ ...options, ignoreFocusOut: true }, withdrawing.token);
  } finally {
    signal?.removeEventListener('abort', withdraw);
    withdrawing.dispose();
  }
}
