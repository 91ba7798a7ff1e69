import { describe, expect, it } from 'vitest';
import { hostSpec } from '../../../src/core/host/hostSpec';
import { type HostChoice, hostChoices, type HostSources } from '../../../src/core/present/hostChoices';
import { host, stateOf } from './builders';

function drawn(sources: Partial<HostSources>): readonly string[] {
  const all = { state: stateOf(), windowHost: null, aliases: [], typed: '', ...sources };
  return hostChoices(all).map(text);
}

function text(choice: HostChoice): string {
  switch (choice.kind) {
    case 'heading':
      return `-- ${choice.heading}`;
    case 'host':
      return choice.note === null ? choice.label : `${choice.label} (${choice.note})`;
    case 'typed':
      return `connect to ${choice.spec.id}`;
    case 'badName':
      return `bad: ${choice.message}`;
  }
}

describe('the hosts to connect to', () => {
  it('begin with the host of the window; each is offered once, and what is connected is marked', () => {
    const state = stateOf(host({ name: 'lab' }), host({ name: 'mia@desk:2222', connection: { kind: 'disconnected' } }));
    expect(drawn({ state, windowHost: hostSpec('gpu'), aliases: ['gpu', 'lab', 'spare'] })).toEqual([
      '-- thisWindow',
      'gpu (thisWindow)',
      '-- hosts',
      'lab (connected)',
      'mia@desk:2222 (known)',
      '-- aliases',
      'spare',
    ]);
  });
  it('take what is typed', () => {
    expect(drawn({ typed: 'mia@10.0.0.7:2222' })).toEqual(['connect to mia@10.0.0.7:2222']);
  });
  it('do not offer twice what is a row already', () => {
    expect(drawn({ typed: 'gpu', aliases: ['gpu'] })).toEqual(['-- aliases', 'gpu']);
  });
  it('say why something typed is no host', () => {
    expect(drawn({ typed: '-oProxyCommand=x' })[0]).toMatch(/^bad: /);
  });
  it('show hostile names plain', () => {
    expect(drawn({ aliases: ['$(error)'] })).toEqual(['-- aliases', '$ (error)']);
  });
});
