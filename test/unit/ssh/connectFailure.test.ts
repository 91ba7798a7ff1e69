import { describe, expect, it } from 'vitest';
import { connectFailureOf } from '../../../src/hosts/ssh/connectFailure';

const notFound = { code: 'ENOTFOUND', message: 'getaddrinfo ENOTFOUND' };
const messageFor = (host: string, address: string) => connectFailureOf(notFound, host, address, 15_000).message;

describe('a name that cannot be resolved', () => {
  it('is said once where the host is called so itself', () => {
    expect(messageFor('balckwell', 'balckwell:22')).toBe('The name balckwell cannot be resolved.');
  });
  it('is said beside the alias that stands for it', () => {
    expect(messageFor('mybox', 'balckwell.lab:2222')).toBe(
      'mybox cannot be reached: the name balckwell.lab cannot be resolved.',
    );
  });
});
