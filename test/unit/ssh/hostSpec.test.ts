import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { hostSpec, parseHostSpec } from '../../../src/core/host/hostSpec';

describe('what is typed', () => {
  test.each([
    ['box', { id: 'box', destination: 'box', user: null, port: null }],
    ['  box\n', { id: 'box', destination: 'box', user: null, port: null }],
    ['me@box', { id: 'me@box', destination: 'box', user: 'me', port: null }],
    ['me@box:2222', { id: 'me@box:2222', destination: 'box', user: 'me', port: 2222 }],
    ['me@work@box', { id: 'me@work@box', destination: 'box', user: 'me@work', port: null }],
    ['DOMAIN\\me@box', { id: 'DOMAIN\\me@box', destination: 'box', user: 'DOMAIN\\me', port: null }],
    ['ssh://me@box:2222/', { id: 'me@box:2222', destination: 'box', user: 'me', port: 2222 }],
    ['SSH://box', { id: 'box', destination: 'box', user: null, port: null }],
    ['[::1]:2222', { id: '[::1]:2222', destination: '::1', user: null, port: 2222 }],
    ['me@[fe80::1]', { id: 'me@fe80::1', destination: 'fe80::1', user: 'me', port: null }],
    ['fe80::1', { id: 'fe80::1', destination: 'fe80::1', user: null, port: null }],
  ])('%j is a host', (typed, spec) => expect(parseHostSpec(typed)).toEqual({ kind: 'host', spec }));

  test.each([
    ['', 'empty'],
    ['-oProxyCommand=x', '“-”'],
    ['me@-box', '“-”'],
    ['-l@box', '“-”'],
    ['two words', 'blank'],
    ['box\u0000', 'control'],
    ['box\u202e', 'control'],
    ['@box', 'user is missing'],
    ['me@', 'host name is missing'],
    ['box:', 'port'],
    ['box:0', 'port'],
    ['box:65536', 'port'],
    ['box:1e3', 'port'],
    ['[::1', 'brackets'],
    ['[::1]x', 'brackets'],
    ['ssh://box/path', 'path'],
    ['box;reboot', 'shells'],
    ['$(reboot)@box', 'shells'],
  ])('%j is none', (typed, reason) => {
    const parsed = parseHostSpec(typed);
    expect(parsed).toMatchObject({ kind: 'bad', failure: { kind: 'badHostName', retry: 'user' } });
    expect(parsed.kind === 'bad' && parsed.failure.message).toContain(reason);
  });
});

test('an id, typed again, is the same host', () => {
  const name = fc.stringMatching(/^[a-z0-9][a-z0-9.-]{0,20}$/);
  const v6 = fc.ipV6();
  const user = fc.option(fc.stringMatching(/^[a-z_][a-z0-9_.@-]{0,10}$/));
  fc.assert(
    fc.property(fc.oneof(name, v6), user, fc.option(fc.integer({ min: 1, max: 65535 })), (destination, login, port) => {
      const spec = hostSpec(destination, login, port);
      expect(parseHostSpec(spec.id)).toEqual({ kind: 'host', spec });
    }),
  );
});

test('whatever is typed: never throws, and no host begins with a dash or hides a character', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), typed => {
      const parsed = parseHostSpec(typed);
      if (parsed.kind === 'host') expect(parsed.spec.destination).toMatch(/^[^-\s\p{C}][^\s\p{C}]*$/u);
    }),
  );
});
