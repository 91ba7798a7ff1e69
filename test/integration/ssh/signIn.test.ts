import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { AuthContext } from 'ssh2';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { Prompts } from '../../../src/control/ports';
import { readKeyFile } from '../../../src/hosts/ssh/privateKey';
import { endTree, runOrThrow, startBackground, until, type Background } from '../../support/processes';
import { startSshd, type Sshd } from '../../support/sshd';
import { startFakeServer, type FakeServer } from '../../support/sshServer';
import { ensureTestUser, setPassword } from '../../support/users';
import { answering, createRig, makeKey, type Rig } from './rig';

const password = 'correct horse';
const passphrase = 'battery staple';

let sshd: Sshd;
let keys: string;
const rigs: Rig[] = [];
const file = (name: string) => join(keys, name);

beforeAll(async () => {
  keys = mkdtempSync(join(tmpdir(), 'hr-keys-'));
  await setPassword(await ensureTestUser('hr-bob'), password);
  const good = [
    await makeKey(file('plain')),
    await makeKey(file('rsa'), { type: 'rsa' }),
    await makeKey(file('locked'), { passphrase }),
    await makeKey(file('locked-ecdsa'), { type: 'ecdsa', passphrase }),
    await makeKey(file('locked-pem'), { type: 'rsa', passphrase, format: ['-m', 'PEM'] }),
    await makeKey(file('locked-pkcs8'), { type: 'ecdsa', passphrase, format: ['-m', 'PKCS8'] }),
  ];
  for (let index = 0; index < 8; index++) await makeKey(file(`stranger${index}`));
  await makeKey(file('stranger-locked'), { passphrase });
  sshd = await startSshd({
    authorizedKeys: { 'hr-bob': good },
    config: ['PasswordAuthentication yes', 'MaxAuthTries 6'],
  });
});

afterEach(() => rigs.splice(0).forEach(rig => rig.dispose()));

afterAll(async () => {
  await sshd.dispose();
  rmSync(keys, { recursive: true, force: true });
});

async function rigWith(config: readonly string[], port = sshd.port, env: Record<string, string> = {}): Promise<Rig> {
  const all = [...config, 'StrictHostKeyChecking accept-new'];
  const rig = await createRig({ port, user: 'hr-bob', config: all, env });
  rigs.push(rig);
  return rig;
}

const keysOnly = 'PreferredAuthentications publickey';

describe('by key', () => {
  test.each(['plain', 'rsa'])('a %s key needs nobody', async name => {
    const rig = await rigWith([`IdentityFile ${file(name)}`]);
    expect(await rig.connect(null)).toMatchObject({ kind: 'connected', interactive: false, notices: [] });
  });

  test.each(['locked', 'locked-ecdsa', 'locked-pem', 'locked-pkcs8'])(
    'a %s key asks for its passphrase, again when it was wrong, and then no more in this window',
    async name => {
      const rig = await rigWith([`IdentityFile ${file(name)}`, keysOnly]);
      const user = answering({ secrets: ['wrong', passphrase] });
      expect(await rig.connect(user)).toMatchObject({ kind: 'connected', interactive: false });
      const question = { kind: 'passphrase', host: 'box', keyFile: file(name) };
      expect(user.secrets).toEqual([
        { ...question, wrongBefore: false },
        { ...question, wrongBefore: true },
      ]);
      expect(await rig.connect(null)).toMatchObject({ kind: 'connected', interactive: false });
      expect(rig.log.join('\n')).not.toContain(passphrase);
    },
  );

  test('the event loop goes on while a passphrase is tried', async () => {
    const started = performance.now();
    readKeyFile(readFileSync(file('locked'), 'utf8'), passphrase);
    const wholeMs = performance.now() - started;
    const rig = await rigWith([`IdentityFile ${file('locked')}`, keysOnly]);
    const pauses = monitorEventLoopDelay({ resolution: 5 });
    pauses.enable();
    await rig.connected(answering({ secrets: [passphrase] }));
    pauses.disable();
    const longestMs = pauses.max / 1e6;
    process.stdout.write(`unlocking takes ${wholeMs.toFixed(0)} ms, longest pause ${longestMs.toFixed(0)} ms\n`);
    expect(longestMs).toBeLessThan(wholeMs / 2);
  });

  test('nobody is asked for the passphrase of a key that the server does not want', async () => {
    const rig = await rigWith([`IdentityFile ${file('stranger-locked')}`, `IdentityFile ${file('plain')}`]);
    const user = answering({ secrets: [passphrase] });
    await rig.connected(user);
    expect(user.secrets).toEqual([]);
  });

  test('three wrong passphrases, or none, and the failure says what was tried', async () => {
    const rig = await rigWith([`IdentityFile ${file('locked')}`, keysOnly]);
    const user = answering({ secrets: ['a', 'b', 'c', passphrase] });
    const failure = await rig.refused(user);
    expect(user.secrets).toHaveLength(3);
    expect(failure).toMatchObject({ kind: 'authentication', retry: 'user' });
    expect(failure.message).toContain('tried 1 key');
    expect(await rig.refused(null)).toMatchObject({ kind: 'signInNeeded', retry: 'user' });
  });

  test('what cannot be used is named', async () => {
    const certified = await rigWith([
      `IdentityFile ${file('stranger0')}`,
      `CertificateFile ${file('x-cert.pub')}`,
      keysOnly,
    ]);
    const failure = await certified.refused(null);
    expect(failure.message).toContain('tried 1 key');
    expect(failure.advice).toContain('certificates');
  });
});

describe('by agent', () => {
  let agent: Background;
  let socket: string;

  beforeAll(async () => {
    socket = file('agent');
    agent = startBackground('ssh-agent', ['-D', '-a', socket]);
    await until('the agent listens', () => existsSync(socket));
    const strangers = Array.from({ length: 8 }, (_, index) => file(`stranger${index}`));
    await runOrThrow('ssh-add', ['-q', ...strangers, file('plain')], {
      env: { ...process.env, SSH_AUTH_SOCK: socket },
    });
  });

  afterAll(() => endTree(agent.child));

  test('the configured key goes first, though the agent has eight others', async () => {
    // Only the public half is on this computer.
    const rig = await rigWith([`IdentityFile ${file('plain')}.pub`, `IdentityAgent ${socket}`, keysOnly]);
    expect(await rig.connect(null)).toMatchObject({ kind: 'connected', interactive: false });
  });

  test('SSH_AUTH_SOCK is used, and too many keys stop before the server hangs up', async () => {
    const before = sshd.log().length;
    const rig = await rigWith(['IdentityAgent SSH_AUTH_SOCK', keysOnly], sshd.port, { SSH_AUTH_SOCK: socket });
    const failure = await rig.refused(null);
    expect(failure).toMatchObject({ kind: 'authentication', retry: 'user' });
    expect(failure.message).toContain('tried 5 keys');
    expect(sshd.log().slice(before)).not.toContain('Too many authentication failures');
  });

  test('IdentitiesOnly leaves the agent’s other keys alone', async () => {
    const config = [`IdentityFile ${file('stranger0')}`, `IdentityAgent ${socket}`, 'IdentitiesOnly yes', keysOnly];
    expect((await (await rigWith(config)).refused(null)).message).toContain('tried 1 key.');
  });

  test('an agent key and then a password, where the server wants both', async () => {
    const both = await startSshd({
      authorizedKeys: { 'hr-bob': [readPublic('plain')] },
      config: ['AuthenticationMethods publickey,password', 'PasswordAuthentication yes'],
    });
    try {
      const rig = await rigWith([`IdentityFile ${file('plain')}`, `IdentityAgent ${socket}`], both.port);
      expect(await rig.connect(answering({ secrets: [password] }))).toMatchObject({
        kind: 'connected',
        interactive: true,
      });
      const plain = await rigWith([`IdentityFile ${file('plain')}`], both.port);
      expect(await plain.connect(answering({ secrets: [password] }))).toMatchObject({ kind: 'connected' });
      expect(await plain.refused(null)).toMatchObject({ kind: 'signInNeeded' });
    } finally {
      await both.dispose();
    }
  });

  test('an agent that is not there is no reason to stay out', async () => {
    const rig = await rigWith([`IdentityAgent ${file('nobody')}`, `IdentityFile ${file('plain')}`]);
    await rig.connected(null);
  });
});

describe('by password', () => {
  test('asks until it is right, and says that it was wrong', async () => {
    const rig = await rigWith([]);
    const user = answering({ secrets: ['wrong', password] });
    expect(await rig.connect(user)).toMatchObject({ kind: 'connected', interactive: true });
    const question = { kind: 'password', host: 'box', user: 'hr-bob' };
    expect(user.secrets).toEqual([
      { ...question, wrongBefore: false },
      { ...question, wrongBefore: true },
    ]);
    expect(rig.log.join('\n')).not.toContain(password);
  });

  test('nobody to ask: the user has to sign in', async () => {
    expect(await (await rigWith([])).refused(null)).toMatchObject({ kind: 'signInNeeded', retry: 'user' });
  });

  test('declined: cancelled, and no further question', async () => {
    const user = answering({ secrets: [null] });
    expect(await (await rigWith([])).refused(user)).toMatchObject({ kind: 'cancelled', retry: 'user' });
    expect(user.secrets).toHaveLength(1);
  });

  test('switched off in the configuration: not used', async () => {
    const rig = await rigWith(['PasswordAuthentication no', `IdentityFile ${file('stranger0')}`]);
    const user = answering({ secrets: [password] });
    expect((await rig.refused(user)).message).toContain('tried 1 key.');
    expect(user.secrets).toEqual([]);
  });
});

describe('by keyboard-interactive', () => {
  let server: FakeServer;
  const rounds = [
    { name: 'Step 1', instructions: 'Your password', prompts: [{ prompt: 'Password: ', echo: false }] },
    { name: '', instructions: '', prompts: [] },
    { name: 'Step 2', instructions: 'Look at your telephone', prompts: [{ prompt: 'Code: ', echo: true }] },
  ];

  beforeAll(async () => {
    server = await startFakeServer({
      auth(attempt: AuthContext) {
        if (attempt.method !== 'keyboard-interactive') return attempt.reject(['keyboard-interactive']);
        const given: string[] = [];
        const ask = (index: number): void => {
          const round = rounds[index];
          if (round === undefined) {
            if (given.join() === `${password},123456`) attempt.accept();
            else attempt.reject(['keyboard-interactive']);
            return;
          }
          attempt.prompt(round.prompts, round.name, round.instructions, answers => {
            given.push(...answers);
            ask(index + 1);
          });
        };
        ask(0);
      },
    });
  });

  afterAll(() => server.stop());

  test('each round is asked in the server’s words; one without questions answers itself', async () => {
    const rig = await rigWith([], server.port);
    const user = answering({ rounds: [[password], ['123456']] });
    expect(await rig.connect(user)).toMatchObject({ kind: 'connected', interactive: true });
    expect(user.rounds).toEqual([
      { host: 'box', name: 'Step 1', instructions: 'Your password', prompts: [{ text: 'Password: ', echo: false }] },
      {
        host: 'box',
        name: 'Step 2',
        instructions: 'Look at your telephone',
        prompts: [{ text: 'Code: ', echo: true }],
      },
    ]);
    expect(rig.log.join('\n')).not.toContain(password);
  });

  test('never by itself, and declined means cancelled', async () => {
    const rig = await rigWith([], server.port);
    const before = server.attempts.length;
    expect(await rig.refused(null)).toMatchObject({ kind: 'signInNeeded' });
    expect(server.attempts.slice(before)).toEqual(['none']);
    expect(await rig.refused(answering({ rounds: [null] }))).toMatchObject({ kind: 'cancelled' });
  });

  test('wrong answers are asked anew, and then the failure says so', async () => {
    const rig = await rigWith([], server.port);
    const wrong = ['x'];
    const failure = await rig.refused(answering({ rounds: [wrong, wrong, wrong, wrong, wrong, wrong, wrong] }));
    expect(failure).toMatchObject({ kind: 'authentication', retry: 'user' });
    expect(failure.message).toContain('tried keyboard-interactive');
  });

  test('a server that hangs up during a question is told as that, and not tried again by itself', async () => {
    const rig = await rigWith([], server.port);
    let isAsked = false;
    const user: Prompts = {
      ...answering({}),
      answers() {
        isAsked = true;
        return new Promise(() => undefined);
      },
    };
    const connecting = rig.refused(user);
    await until('the question is open', () => isAsked);
    server.cut();
    expect(await connecting).toMatchObject({ kind: 'timeout', retry: 'user' });
  });

  test('PAM of a real server asks the same way', async () => {
    const pam = await startSshd({ config: ['KbdInteractiveAuthentication yes'] });
    try {
      const user = answering({ rounds: [[password]] });
      await (await rigWith([], pam.port)).connected(user);
      expect(user.rounds[0]?.prompts).toEqual([{ text: expect.stringContaining('assword') as string, echo: false }]);
    } finally {
      await pam.dispose();
    }
  });
});

function readPublic(name: string): string {
  return readFileSync(`${file(name)}.pub`, 'utf8')
    .split(' ')
    .slice(0, 2)
    .join(' ');
}
