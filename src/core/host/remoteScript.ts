/**
 * The two forms in which a script goes to a host, both on the stdin of `exec /bin/sh -s`: that command line alone is read
 * alike by bash, dash, zsh, fish and tcsh as login shells. What start-up files print is told from the script's output by a
 * random nonce. The byte 0x1e (record separator) begins every mark, so that an ordinary line can never be one.
 */
export const remoteCommand = 'exec /bin/sh -s';

const mark = '\x1e';

/**
 * One-shot form: send it, end stdin, read what stands between the marks. The braces make a truncated script run nothing;
 * `</dev/null` keeps a command in it from eating the rest of the script.
 */
export function oneShotScript(script: string, nonce: string): string {
  return (
    `printf '\\036BEGIN ${nonce}\\036\\n'; printf '\\036BEGIN ${nonce}\\036\\n' >&2; ` +
    `{ ${script}\n} </dev/null; printf '\\036END ${nonce} %s\\036\\n' "$?"\n`
  );
}

/** What stands between the marks, and whether they were seen. */
export interface OneShotOutput {
  /** False: the host printed something else, and the script may never have run. */
  readonly begun: boolean;
  readonly text: string;
  /** The exit code in the end mark; null when the script left its shell by `exit`, or was cut off. */
  readonly code: number | null;
}

export function readOneShot(output: string, nonce: string): OneShotOutput {
  const begin = `${mark}BEGIN ${nonce}${mark}\n`;
  const start = output.indexOf(begin);
  if (start < 0) return { begun: false, text: '', code: null };
  const body = output.slice(start + begin.length);
  const end = body.lastIndexOf(`${mark}END ${nonce} `);
  const code = end < 0 ? null : /^\x1eEND \w+ (\d{1,3})\x1e/.exec(body.slice(end))?.[1];
  return code == null
    ? { begun: true, text: body, code: null }
    : { begun: true, text: body.slice(0, end), code: Number(code) };
}

/**
 * Stream form: one group that prints `\036$NONCE ready`, then reads lines and answers. The shell has read the whole group
 * before it runs any of it, and leaves by `exit`, so no later input is ever taken for a command.
 */
export function streamScript(script: string, nonce: string): string {
  // What start-up files printed may lack its line end, and the ready line must not be glued to it.
  return `NONCE=${nonce}\n{ printf '\\n'; ${script}\nexit; }\n`;
}

/**
 * A part of what a stream prints. `control` lines began with the stream's nonce, which only the script knows, so that no text
 * that passes through it (a process name, a log) can pretend to be one; the nonce is taken off. `bytes` are undecoded, and in
 * pieces of any length.
 */
export type StreamLine =
  | { readonly kind: 'control'; readonly words: string }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'bytes'; readonly bytes: Uint8Array };

/** What a control line begins with. */
export const streamMark = (nonce: string): string => `${mark}${nonce} `;

export function readStreamLine(line: string, nonce: string): StreamLine {
  const prefix = streamMark(nonce);
  return line.startsWith(prefix) ? { kind: 'control', words: line.slice(prefix.length) } : { kind: 'text', text: line };
}

/** How much a part of a stream is: characters, or bytes. */
export function sizeOfStreamLine(line: StreamLine): number {
  switch (line.kind) {
    case 'control':
      return line.words.length;
    case 'text':
      return line.text.length;
    case 'bytes':
      return line.bytes.length;
  }
}

/** What may be sent to a running stream: it reaches `read` in a shell. */
export function isSendable(line: string): boolean {
  return /^[A-Za-z0-9 \-_./:]*$/.test(line);
}
