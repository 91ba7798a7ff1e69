import { describe, expect, it } from 'vitest';
import { attention } from '../../../src/core/present/attention';
import { host, stateOf } from './builders';

const state = stateOf(host({ name: 'a' }), host({ name: 'b' }));
const levels = (treeVisible: boolean, windowInUse: boolean) =>
  Object.fromEntries(attention(state, { treeVisible, windowInUse }));

describe('how closely hosts are watched', () => {
  it('is full for all while the tree shows them', () => {
    expect(levels(true, true)).toEqual({ a: 'full', b: 'full' });
  });
  it('is brief for the one in the status bar while only that shows', () => {
    expect(levels(false, true)).toEqual({ a: 'none', b: 'brief' });
  });
  it('is none while nobody looks', () => {
    expect(levels(true, false)).toEqual({ a: 'none', b: 'none' });
  });
});
