import fc from 'fast-check';
import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parseSshG } from '../../../src/core/host/sshConfig';
import { settingsFrom, type SettingsContext } from '../../../src/core/host/sshSettings';

const context: SettingsContext = {
  destination: 'box',
  home: '/home/me',
  localUser: 'me',
  localUid: 1000,
  localHost: 'laptop.lan',
  windows: false,
  env: { SSH_AUTH_SOCK: '/run/agent', MINE: '/mine' },
  sha1Hex: text => createHash('sha1').update(text).digest('hex'),
  fileExists: () => false,
};

const read = (lines: string, changes: Partial<SettingsContext> = {}) =>
  settingsFrom(parseSshG(lines), { ...context, ...changes });

/** As OpenSSH 9.2 prints it on Debian 12, shortened. */
const debian = `host box
user alice
hostname 10.0.0.7
port 2222
addressfamily any
compression no
gssapiauthentication yes
hashknownhosts yes
identitiesonly no
kbdinteractiveauthentication yes
passwordauthentication yes
pubkeyauthentication true
stricthostkeychecking ask
numberofpasswordprompts 3
serveralivecountmax 3
serveraliveinterval 0
ciphers chacha20-poly1305@openssh.com,aes128-ctr
identityfile ~/.ssh/id_rsa
identityfile ~/.ssh/id_ed25519
globalknownhostsfile /etc/ssh/ssh_known_hosts /etc/ssh/ssh_known_hosts2
userknownhostsfile /root/.ssh/known_hosts /root/.ssh/known_hosts2
connecttimeout none
`;

test('the whole answer of ssh', () => {
  expect(read(debian)).toEqual({
    host: '10.0.0.7',
    port: 2222,
    user: 'alice',
    addressFamily: null,
    bindAddress: null,
    connectTimeoutMs: null,
    serverAlive: null,
    proxy: null,
    hostKeyAlias: null,
    strictHostKeyChecking: 'ask',
    hashKnownHosts: true,
    userKnownHostsFiles: ['/root/.ssh/known_hosts', '/root/.ssh/known_hosts2'],
    globalKnownHostsFiles: ['/etc/ssh/ssh_known_hosts', '/etc/ssh/ssh_known_hosts2'],
    revokedHostKeys: false,
    identityFiles: ['/home/me/.ssh/id_rsa', '/home/me/.ssh/id_ed25519'],
    certificateFiles: [],
    identitiesOnly: false,
    identityAgent: '/run/agent',
    authMethods: ['publickey', 'password', 'keyboard-interactive'],
    numberOfPasswordPrompts: 3,
    gssapi: true,
    pkcs11: false,
    hostKeyAlgorithms: null,
    kexAlgorithms: null,
    ciphers: ['chacha20-poly1305@openssh.com', 'aes128-ctr'],
    macs: null,
  });
});

test.each([
  ['yes', 'yes'],
  ['true', 'yes'],
  ['no', 'no'],
  ['off', 'no'],
  ['false', 'no'],
  ['ask', 'ask'],
  ['accept-new', 'accept-new'],
  ['something new', 'ask'],
])('stricthostkeychecking %s is %s', (printed, mode) => {
  expect(read(`stricthostkeychecking ${printed}`).strictHostKeyChecking).toBe(mode);
});

describe('names of files', () => {
  test.each([
    ['~/.ssh/%r@%h', '/home/me/.ssh/alice@10.0.0.7'],
    ['%d/keys/%n-%p', '/home/me/keys/box-2222'],
    ['${MINE}/100%%/%u.%i', '/mine/100%/me.1000'],
    ['${UNSET}/id', '${UNSET}/id'],
    ['/keys/%L/%l/%k', '/keys/laptop/laptop.lan/box'],
    ['/keys/%X', '/keys/%X'],
    ['"/with blanks/id"', '/with blanks/id'],
    ['~other/id', '~other/id'],
  ])('identityfile %s', (printed, path) => {
    const lines = `user alice\nhostname 10.0.0.7\nport 2222\nidentityfile ${printed}`;
    expect(read(lines).identityFiles).toEqual([path]);
  });

  test('%C is the hash that ssh makes', () => {
    const hash = createHash('sha1').update('laptop.lan10.0.0.722alice').digest('hex');
    expect(read('user alice\nhostname 10.0.0.7\nidentityfile /k/%C').identityFiles).toEqual([`/k/${hash}`]);
  });

  test('what the environment holds is not expanded again', () => {
    expect(read('identityfile ${MINE}/id', { env: { MINE: '/a%h/${HOME}' } }).identityFiles).toEqual([
      '/a%h/${HOME}/id',
    ]);
  });

  test('none is none, and no line at all is the default list', () => {
    expect(read('identityfile none').identityFiles).toEqual([]);
    expect(read('user me').identityFiles).toContain('/home/me/.ssh/id_ed25519');
  });

  test('known_hosts files are joined with blanks: what exists decides, else what looks like a path', () => {
    const blanks = 'userknownhostsfile /home/a b/known hosts /etc/kh';
    expect(read(blanks).userKnownHostsFiles).toEqual(['/home/a b/known hosts', '/etc/kh']);
    const exists = (path: string) => path === '/home/a b/known' || path === '/home/me/hosts /etc/kh';
    expect(
      read('userknownhostsfile /home/a b/known ~/hosts /etc/kh', { fileExists: exists }).userKnownHostsFiles,
    ).toEqual(['/home/a b/known', '/home/me/hosts /etc/kh']);
    const windows = 'globalknownhostsfile __PROGRAMDATA__\\ssh/ssh_known_hosts __PROGRAMDATA__\\ssh/ssh_known_hosts2';
    expect(read(windows, { env: { ProgramData: 'D:\\Data' } }).globalKnownHostsFiles).toEqual([
      'D:\\Data\\ssh/ssh_known_hosts',
      'D:\\Data\\ssh/ssh_known_hosts2',
    ]);
    expect(read('userknownhostsfile none').userKnownHostsFiles).toEqual([]);
    expect(read('userknownhostsfile /dev/null').userKnownHostsFiles).toEqual([]);
  });
});

describe('the agent', () => {
  test.each([
    ['user me', '/run/agent'],
    ['identityagent SSH_AUTH_SOCK', '/run/agent'],
    ['identityagent none', null],
    ['identityagent $MINE', '/mine'],
    ['identityagent $UNSET', null],
    ['identityagent ~/Library/Group Containers/x/agent.sock', '/home/me/Library/Group Containers/x/agent.sock'],
    ['identityagent /run/%r.sock', '/run/me.sock'],
  ])('%s', (lines, socket) => expect(read(lines).identityAgent).toBe(socket));

  test('without a variable: none, or the pipe of Windows', () => {
    expect(read('user me', { env: {} }).identityAgent).toBeNull();
    expect(read('user me', { env: {}, windows: true }).identityAgent).toBe('\\\\.\\pipe\\openssh-ssh-agent');
  });
});

describe('proxies', () => {
  test.each([
    [
      'proxycommand nc -X 5 %h %p --as %r --for %n',
      { kind: 'command', commandLine: 'nc -X 5 10.0.0.7 22 --as me --for box' },
    ],
    ['proxycommand none', null],
    ['proxyjump none', null],
    ['proxyjump a,me@b:2222', { kind: 'jump', hops: ['a', 'me@b:2222'] }],
  ])('%s', (line, proxy) => expect(read(`hostname 10.0.0.7\n${line}`).proxy).toEqual(proxy));
});

test('methods in the preferred order, without those that are switched off', () => {
  expect(read('preferredauthentications gssapi-with-mic,keyboard-interactive,publickey').authMethods).toEqual([
    'keyboard-interactive',
    'publickey',
  ]);
  expect(read('pubkeyauthentication false\npasswordauthentication no').authMethods).toEqual(['keyboard-interactive']);
});

test('times are milliseconds, and an option that is off is null', () => {
  const settings = read('connecttimeout 7\nserveraliveinterval 30\nserveralivecountmax 2');
  expect(settings).toMatchObject({ connectTimeoutMs: 7_000, serverAlive: { intervalMs: 30_000, countMax: 2 } });
});

test('whatever ssh prints: never throws, and the port is a port', () => {
  const line = fc.tuple(
    fc.constantFrom('port', 'userknownhostsfile', 'identityfile', 'connecttimeout', 'x'),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(line), lines => {
      const settings = read(lines.map(([keyword, value]) => `${keyword} ${value}`).join('\n'));
      expect(settings.port).toBeGreaterThan(0);
      expect(settings.connectTimeoutMs === null || settings.connectTimeoutMs > 0).toBe(true);
    }),
  );
});
