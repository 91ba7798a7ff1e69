import { describe, expect, it } from 'vitest';
import { diagnosticsText } from '../../../src/core/present/diagnostics';
import { failureOf, gpuProcess, host, now, stateOf } from './builders';

const about = { extension: '0.1.0', editor: '1.100.0', platform: 'linux x64', remote: null };

describe('diagnostics', () => {
  const failure = failureOf('authentication', 'blackwell.lab refused mia with /home/mia/.ssh/id_ed25519.');
  const failed = {
    ...host({ processes: [gpuProcess(0, 7, { user: 'noor', name: 'secret-project' })] }),
    spec: { id: 'mia@blackwell.lab', destination: 'blackwell.lab', user: 'mia', port: null },
    connection: { kind: 'needsUser', sinceMs: now - 5000, failure: { ...failure, detail: 'raw words' } },
  } as const;
  const text = diagnosticsText(about, stateOf(failed), now);

  it('tell states, failures and versions', () => {
    expect(text).toContain('Headroom 0.1.0');
    expect(text).toContain('connection: needsUser for 5 s');
    expect(text).toContain('failure: authentication: host-1 refused user with /home/user/.ssh/id_ed25519.');
    expect(text).toContain('GPUs: 1, answered in 40 ms');
  });
  it('name no host, no user, no process and no card', () => {
    expect(text).not.toMatch(/blackwell|mia|noor|secret-project|raw words|GPU-0/);
  });
});
