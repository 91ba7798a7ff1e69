/**
 * What may reach a terminal of a log that anybody may have written to. A log's colours and progress bars pass: text, line
 * feeds, tabs, carriage returns, backspaces, SGR (`CSI … m`), `CSI K` and the four cursor moves `CSI A` to `CSI D`.
 *
 * Everything else that a terminal obeys (ECMA-48 and the extensions of xterm, iTerm2 and VS Code) is dropped with its
 * content: OSC (links, clipboard, shell integration), DCS, APC, PM, SOS, private modes, queries, every other CSI and escape,
 * other control characters, and the 8-bit forms of all of these, U+0080 to U+009F. A raw byte of that range is no UTF-8 and
 * becomes U+FFFD, as all bytes that are none. Line feeds come out as CR LF, as a terminal without a line discipline needs it.
 *
 * A sequence that is broken off, by a line feed or by anything else that cannot be in it, ends there: a string without end
 * must not swallow the rest of a log. What then shows of it is text.
 */
export interface TerminalFilter {
  /** The same whatever chunks the bytes came in. Keeps some dozens of characters at most. Never throws. */
  push(chunk: Uint8Array): string;
}

/** Longer parameters are nobody's colour. */
const longestParameters = 64;

/** What passes as it is, whole allowed sequences included: most logs are nothing else, and go through in one step. */
const passes = /(?:[^\x00-\x07\x0b\x0c\x0e-\x1f\x7f-\x9f]+|\x1b\[(?:[\d:;]{0,63}m|\d{0,4}[A-DK]))+/y;
/** What ends a string: BEL, CAN, SUB, ESC and the 8-bit ST; and a line feed, by our own rule. */
const stringEnd = /[\x07\x0a\x18\x1a\x1b\x9c]/g;

const allowedSequence = /^(?:[\d:;]*m|\d{0,4}[A-DK])$/;

type Mode =
  | 'text'
  /** After ESC; also after the intermediates of a longer escape. */
  | 'escape'
  /** Inside of a control sequence. */
  | 'sequence'
  /** Inside of OSC, DCS, SOS, PM or APC. */
  | 'string';

export function createTerminalFilter(): TerminalFilter {
  const decoder = new TextDecoder('utf-8', { ignoreBOM: true });
  let mode: Mode = 'text';
  let parameters = '';
  let endedInReturn = false;
  let out = '';

  const write = (text: string): void => {
    if (text === '') return;
    const lines = text.replace(/\r?\n/g, '\r\n');
    out += endedInReturn && text.startsWith('\n') ? lines.slice(1) : lines;
    endedInReturn = text.endsWith('\r');
  };

  const readText = (text: string, start: number): number => {
    passes.lastIndex = start;
    const [passing = ''] = passes.exec(text) ?? [];
    write(passing);
    const at = start + passing.length;
    mode = modeAfter(text.charAt(at));
    parameters = '';
    return at + 1;
  };

  const readEscape = (text: string, at: number): number => {
    const character = text.charAt(at);
    if (isIntermediate(character)) {
      // From here on only a final can follow, which no longer begins a sequence or a string.
      parameters = character;
      return at + 1;
    }
    mode = 'text';
    if (!isFinalOfEscape(character)) return at;
    if (parameters === '') mode = modeAfter(eightBitForm(character));
    return at + 1;
  };

  const readSequence = (text: string, at: number): number => {
    const character = text.charAt(at);
    if (!isPartOfSequence(character)) {
      mode = 'text';
      return at;
    }
    if (parameters.length <= longestParameters) parameters += character;
    if (isFinal(character)) {
      mode = 'text';
      if (parameters.length <= longestParameters && allowedSequence.test(parameters)) {
        out += `\x1b[${parameters}`;
        endedInReturn = false;
      }
    }
    return at + 1;
  };

  const readString = (text: string, start: number): number => {
    stringEnd.lastIndex = start;
    const at = stringEnd.exec(text)?.index;
    if (at === undefined) return text.length;
    mode = 'text';
    // An ESC begins what comes next, be it the `\` of ST; a line feed is text.
    return text.charAt(at) === '\x1b' || text.charAt(at) === '\n' ? at : at + 1;
  };

  const readers: Readonly<Record<Mode, (text: string, at: number) => number>> = {
    text: readText,
    escape: readEscape,
    sequence: readSequence,
    string: readString,
  };

  return {
    push(chunk) {
      const text = decoder.decode(chunk, { stream: true });
      out = '';
      for (let at = 0; at < text.length;) at = readers[mode](text, at);
      return out;
    },
  };
}

/** What a control character, in its 8-bit form, begins. */
function modeAfter(character: string): Mode {
  switch (character) {
    case '\x1b':
      return 'escape';
    case '\x9b':
      return 'sequence';
    // DCS, SOS, OSC, PM, APC.
    case '\x90':
    case '\x98':
    case '\x9d':
    case '\x9e':
    case '\x9f':
      return 'string';
    default:
      return 'text';
  }
}

/** ESC and a character from `@` to `_` is the 7-bit form of a C1 control (ECMA-48, 5.3). */
const eightBitForm = (final: string): string =>
  final >= '@' && final <= '_' ? String.fromCharCode(final.charCodeAt(0) + 0x40) : '';

const isIntermediate = (character: string): boolean => character >= ' ' && character <= '/';
const isFinalOfEscape = (character: string): boolean => character >= '0' && character <= '~';
const isFinal = (character: string): boolean => character >= '@' && character <= '~';
const isPartOfSequence = (character: string): boolean => character >= ' ' && character <= '~';
