import { describe, expect, it } from 'vitest';
import { hostSpec } from '../../../src/core/host/hostSpec';
import { placeChoices, type PlaceSources } from '../../../src/core/present/launchPlaces';

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
