import { describe, expect, it } from 'vitest';
import { diagnosticsText } from '../../../src/core/present/diagnostics';
import { failureOf, gpuProcess, host, now, stateOf } from './builders';

const about = { extension: '0.1.0', editor: '1.100.0', platform: 'linux x64', remote: null };

describe('diagnostics', () => {
  const failure = failureOf('authentication', '10.0.0.7:22 refused mia, who said raw words.');
  const failed = {
    ...host({ processes: [gpuProcess(0, 7, { user: 'noor', name: 'secret-project' })] }),
    spec: { id: 'mia@blackwell.lab', destination: 'blackwell.lab', user: 'mia', port: null },
    connection: { kind: 'needsUser', sinceMs: now - 5000, failure },
    identity: {
      system: 'Linux',
      hostname: 'blackwell',
      machineId: null,
      bootId: null,
      firstPidNamespace: true,
      nvidiaSmi: '/home/noor/bin/nvidia-smi',
    },
  } as const;
  const text = diagnosticsText(about, stateOf(failed), now);

  it('tell states, failures and versions', () => {
    expect(text).toContain('Headroom 0.1.0');
    expect(text).toContain('connection: needsUser for 5 s');
    expect(text).toContain('failure: authentication, tried again by itself: no');
    expect(text).toContain('nvidia-smi: /home/user/bin/nvidia-smi');
    expect(text).toContain('GPUs: 1, answered in 40 ms');
  });
  it('tell a remote window by its kind alone', () => {
    const first = (remote: string) => diagnosticsText({ ...about, remote }, stateOf(), now).split('\n')[1];
    expect(first('ssh-remote')).toBe('VS Code 1.100.0, linux x64, ssh-remote window');
    expect(first('blackwell.lab:8080')).toBe('VS Code 1.100.0, linux x64, other remote window');
  });
  it('name no host, no user, no process and no card', () => {
    expect(text).not.toMatch(/blackwell|mia|noor|secret-project|10\.0\.0\.7|raw words|GPU-0/);
  });
});
