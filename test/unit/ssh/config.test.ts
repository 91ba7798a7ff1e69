import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { listedAliases, staticOptions } from '../../../src/core/host/sshConfig';
import { readConfig } from '../../../src/hosts/ssh/configFiles';

let home: string;

beforeEach(() => void (home = mkdtempSync(join(tmpdir(), 'hr-config-'))));
afterEach(() => rmSync(home, { recursive: true, force: true }));

/** Writes files below ~/.ssh and reads the one called config. */
function reading(files: Readonly<Record<string, string>>) {
  for (const [name, text] of Object.entries(files)) {
    const path = join(home, '.ssh', name);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, text);
  }
  return readConfig(join(home, '.ssh', 'config'), home);
}

describe('aliases', () => {
  test('names are hosts; wildcards, negations and Match are rules', async () => {
    const config = `Host a b\n  User x\nHost *.lan !c ?d\nHost "e"\nMatch host f exec "touch ${home}/ran"\n  User y\nhost=g\n# Host h\nHost -i\n`;
    expect(listedAliases(await reading({ config }))).toEqual(['a', 'b', 'e', 'g']);
  });

  test('Include: globs in order, relative to ~/.ssh, absolute, from home; missing and circular ones left out', async () => {
    const config = `Include conf.d/*.conf missing "with blank"\nInclude ~/.ssh/tilde ${home}/.ssh/absolute\nInclude config\nHost last\n  Include nested\n`;
    const files = {
      config,
      'conf.d/20.conf': 'Host second',
      'conf.d/10.conf': 'Host first\nInclude config',
      'conf.d/no.txt': 'Host no',
      'with blank': 'Host blank',
      tilde: 'Host tilde',
      absolute: 'Host absolute',
      nested: 'User n',
    };
    expect(listedAliases(await reading(files))).toEqual(['first', 'second', 'blank', 'tilde', 'absolute', 'last']);
  });

  test('a chain of files is followed to ssh’s depth and no further', async () => {
    const files: Record<string, string> = { config: 'Include c1' };
    for (let index = 1; index < 30; index++) files[`c${index}`] = `Host h${index}\nInclude c${index + 1}`;
    expect(listedAliases(await reading(files))).toEqual(Array.from({ length: 15 }, (_, index) => `h${index + 1}`));
  });

  test('files that include each other are not read for ever', async () => {
    const files: Record<string, string> = { config: 'Include d/*' };
    for (let index = 0; index < 12; index++) files[`d/${index}`] = `Host h${index}\nInclude d/*`;
    expect(listedAliases(await reading(files))).toContain('h0');
  });

  test('a file that is not there or not a configuration gives none', async () => {
    expect(await readConfig(join(home, 'nothing'), home)).toEqual([]);
    expect(listedAliases(await reading({ config: '\0\u0001 {{{ "' }))).toEqual([]);
  });
});

describe('options without ssh', () => {
  test('the first value wins, keys add up, blocks and included files hold where their Host does', async () => {
    const config = `Host box\n  HostName 10.0.0.7\n  IdentityFile ~/.ssh/a\n  Include extra\nHost other\n  User nobody\nMatch all\n  Port 1\nHost *\n  HostName no\n  User me\n  IdentityFile ~/.ssh/b\n  ProxyCommand nc -x "my proxy" %h %p\n  UserKnownHostsFile /a /b\n`;
    const options = staticOptions(await reading({ config, extra: 'Compression yes' }), 'box');
    expect(Object.fromEntries(options)).toEqual({
      hostname: ['10.0.0.7'],
      identityfile: ['~/.ssh/a', '~/.ssh/b'],
      compression: ['yes'],
      user: ['me'],
      proxycommand: ['nc -x "my proxy" %h %p'],
      userknownhostsfile: ['/a', '/b'],
    });
  });
});
