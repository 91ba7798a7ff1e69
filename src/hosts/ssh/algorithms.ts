import constants from 'ssh2/lib/protocol/constants.js';
import { orderHostKeyAlgorithms } from '../../core/host/knownHosts';
import type { SshSettings } from '../../core/host/sshSettings';

export interface Offer {
  readonly kex: readonly string[];
  readonly serverHostKey: readonly string[];
  readonly cipher: readonly string[];
  readonly hmac: readonly string[];
}

/**
 * What to offer a server: what the configuration allows and ssh2 can do, in ssh2's order (its fast ciphers first), host
 * keys in the order in which they can be checked. An empty list means that nothing is left of that kind.
 */
export function offerFor(settings: SshSettings, knownKeyTypes: readonly string[]): Offer {
  return {
    // Group exchange is left out: with Electron's crypto library it has crashed whole extension hosts.
    kex: allowed(settings.kexAlgorithms, constants.DEFAULT_KEX, constants.SUPPORTED_KEX).filter(
      name => !name.startsWith('diffie-hellman-group-exchange'),
    ),
    serverHostKey: orderHostKeyAlgorithms(
      allowed(settings.hostKeyAlgorithms, constants.DEFAULT_SERVER_HOST_KEY, constants.SUPPORTED_SERVER_HOST_KEY),
      knownKeyTypes,
    ),
    cipher: allowed(settings.ciphers, constants.DEFAULT_CIPHER, constants.SUPPORTED_CIPHER),
    hmac: allowed(settings.macs, constants.DEFAULT_MAC, constants.SUPPORTED_MAC),
  };
}

/** What kind of algorithm nothing is left of, in words; null when there is something of each. */
export function missingFrom(offer: Offer): string | null {
  if (offer.kex.length === 0) return 'key exchange algorithm';
  if (offer.serverHostKey.length === 0) return 'host key format';
  if (offer.cipher.length === 0) return 'cipher';
  return offer.hmac.length === 0 ? 'MAC' : null;
}

function allowed(
  configured: readonly string[] | null,
  byDefault: readonly string[],
  supported: readonly string[],
): readonly string[] {
  return configured === null ? byDefault : supported.filter(name => configured.includes(name));
}
