/**
 * The host of a Remote-SSH window, from the authority of its workspace (`vscode-remote://ssh-remote+…`), as the user would
 * type it: "alias", "user@host", "user@host:2222". null for any other window. The caller checks the name like a typed one.
 *
 * Remote-SSH writes the host plain where it can, with `\x4d` for letters that a URI authority would change, or, when it has
 * more to say than a name, as JSON in hexadecimal: {"hostName":"gpu","user":"mia","port":2222}. A container opened through
 * such a window has `…@ssh-remote+host` at the end of its authority.
 */
export function remoteSshHost(authority: string): string | null {
  const decoded = percentDecoded(authority);
  const at = decoded.lastIndexOf(marker);
  if (at < 0 || (at > 0 && decoded[at - 1] !== '@')) return null;
  const encoded = decoded.slice(at + marker.length);
  const host = fromHexJson(encoded) ?? encoded.replace(/\\x([0-9a-f]{2})/gi, (_, hex: string) => fromCode(hex));
  return host === '' ? null : host;
}

const marker = 'ssh-remote+';

function fromHexJson(text: string): string | null {
  if (!/^7b(?:[0-9a-f]{2})+$/i.test(text)) return null;
  const bytes = Uint8Array.from(text.match(/../g) ?? [], hex => parseInt(hex, 16));
  const value = parsedJson(new TextDecoder().decode(bytes));
  if (typeof value !== 'object' || value === null) return null;
  const { hostName, user, port } = value as { hostName?: unknown; user?: unknown; port?: unknown };
  if (typeof hostName !== 'string') return null;
  const before = typeof user === 'string' && user !== '' ? `${user}@` : '';
  const after = typeof port === 'number' || (typeof port === 'string' && port !== '') ? `:${port}` : '';
  // An IPv6 address would run into its port.
  return `${before}${after !== '' && hostName.includes(':') ? `[${hostName}]` : hostName}${after}`;
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function fromCode(hex: string): string {
  return String.fromCharCode(parseInt(hex, 16));
}
