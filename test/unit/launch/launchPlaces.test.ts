import { describe, expect, it } from 'vitest';
import { hostSpec } from '../../../src/core/host/hostSpec';
import { placeChoices, windowPlace, type PlaceSources } from '../../../src/core/present/launchPlaces';

const [box, other] = [hostSpec('box'), hostSpec('other')];
const sources: PlaceSources = {
  hosts: [
    { spec: other, connected: false },
    { spec: box, connected: true },
  ],
  window: null,
  used: [
    { host: 'box', cwd: '~/train' },
    { host: 'box', cwd: '~/train' },
    { host: 'gone', cwd: '/x' },
  ],
  typed: '',
};
const labels = (changes: Partial<PlaceSources> = {}): readonly string[] =>
  placeChoices({ ...sources, ...changes }).map(({ label }) => label);

describe('where a command can run', () => {
  it('is each place once: what was used before, then homes, the connected host first', () =>
    expect(labels()).toEqual(['~/train on box', '~ on box', '~ on other']));

  it('begins with the folder of the window', () =>
    expect(labels({ window: { host: box, cwd: '/home/mia/w' } })[0]).toBe('/home/mia/w on box'));

  it('is a directory that is typed, on each host', () =>
    expect(labels({ typed: ' /data/x ' }).slice(0, 2)).toEqual(['/data/x on box', '/data/x on other']));

  it.each(['train', '~root', 'relative/x'])('is not %s, which only filters', typed =>
    expect(labels({ typed })).toEqual(labels()),
  );

  it('offers no more than a few folders of one host', () =>
    expect(
      labels({ used: Array.from({ length: 30 }, (_, index) => ({ host: 'box', cwd: `/d${index}` })) }),
    ).toHaveLength(5 + 2));

  it('shows a hostile path as plain text', () =>
    expect(labels({ used: [{ host: 'box', cwd: '/[x](command:y)$(flame)' }] })[0]).not.toMatch(/\]\(|\$\(/));
});

describe('the place of a window', () => {
  const folder = (authority: string, scheme = 'vscode-remote') => ({ scheme, authority, path: '/home/mia/train' });

  it.each([
    ['ssh-remote+box', 'box'],
    ['ssh-remote%2Bmia%40box', 'mia@box'],
    [`ssh-remote+${Buffer.from('{"hostName":"box","user":"mia","port":2222}').toString('hex')}`, 'mia@box:2222'],
  ])('%s', (authority, id) =>
    expect(windowPlace([folder(authority)])).toMatchObject({ host: { id }, cwd: '/home/mia/train' }),
  );

  it.each([
    ['a local folder', folder('', 'file')],
    ['a folder of WSL', folder('wsl+Debian')],
    ['a folder in a browser', folder('127.0.0.1:8080')],
    ['a name that is no host', folder('ssh-remote+-x')],
  ])('is none for %s', (_, local) => expect(windowPlace([local])).toBeNull());

  it('is that of the first folder that has one', () =>
    expect(windowPlace([folder('', 'file'), folder('ssh-remote+box')])?.host.id).toBe('box'));
});
