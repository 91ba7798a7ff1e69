import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { remoteSshHost } from '../../../src/core/host/remoteAuthority';

const hexJson = (value: unknown) => `ssh-remote+${Buffer.from(JSON.stringify(value)).toString('hex')}`;

describe('the host of a Remote-SSH window', () => {
  it.each([
    ['an alias', 'ssh-remote+blackwell', 'blackwell'],
    ['a user and a host', 'ssh-remote+mia@10.0.0.7', 'mia@10.0.0.7'],
    ['a percent-encoded authority', 'ssh-remote%2Bmia%40gpu', 'mia@gpu'],
    ['escaped capitals', 'ssh-remote+\\x47\\x50\\x55-box', 'GPU-box'],
    ['JSON with a host alone', hexJson({ hostName: 'Blackwell' }), 'Blackwell'],
    ['JSON with user and port', hexJson({ hostName: 'gpu.lab', user: 'mia', port: 2222 }), 'mia@gpu.lab:2222'],
    ['JSON with an IPv6 address and a port', hexJson({ hostName: 'fe80::1', port: 2222 }), '[fe80::1]:2222'],
    ['JSON beyond ASCII', hexJson({ hostName: 'größe' }), 'größe'],
    ['a container on the host', 'dev-container+7b7d@ssh-remote+blackwell', 'blackwell'],
    ['hexadecimal that is a name', 'ssh-remote+7bad', '7bad'],
  ])('%s', (_, authority, host) => {
    expect(remoteSshHost(authority)).toBe(host);
  });

  it.each([
    ['a local window', ''],
    ['a browser workbench', '127.0.0.1:8080'],
    ['WSL', 'wsl+Ubuntu'],
    ['a container', 'dev-container+7b7d'],
    ['no host', 'ssh-remote+'],
    ['a look-alike', 'my-ssh-remote+x'],
  ])('is none in %s', (_, authority) => {
    expect(remoteSshHost(authority)).toBeNull();
  });

  it('never throws', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), text => void remoteSshHost(`ssh-remote+${text}`)));
  });
});
