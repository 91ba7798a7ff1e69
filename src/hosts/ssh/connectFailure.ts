import {
  closedEarly,
  connectTimedOut,
  handshakeFailed,
  noCommonAlgorithm,
  refused,
  unreachable,
  unresolvable,
  type Failure,
} from '../../core/errors';

/** What Node and ssh2 put on their errors. */
interface TransportError {
  readonly message: string;
  readonly code?: string | number;
}

/** Words for an error before the sign-in. `address` is what was dialled, "name:port". */
export function connectFailureOf(error: TransportError, host: string, address: string, limitMs: number): Failure {
  switch (error.code) {
    case 'ECONNREFUSED':
      return refused(host, address);
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EAI_FAIL':
    case 'ENODATA':
      return unresolvable(host, address.replace(/:\d+$/, ''));
    case 'ETIMEDOUT':
      return connectTimedOut(host, address, limitMs);
    case 'EHOSTUNREACH':
    case 'ENETUNREACH':
    case 'ENETDOWN':
    case 'EADDRNOTAVAIL':
    case 'EACCES':
    case 'EPERM':
      return unreachable(host, address, error.code);
    default:
      return handshakeFailureOf(error, host, address);
  }
}

function handshakeFailureOf(error: TransportError, host: string, address: string): Failure {
  if (error.message === 'Connection lost before handshake' || error.code === 'ECONNRESET')
    return closedEarly(host, address);
  const missing = /no matching (?:C->S |S->C )?(.+)/.exec(error.message)?.[1];
  return missing === undefined ? handshakeFailed(host, error.message) : noCommonAlgorithm(host, missing);
}
