/**
 * The one function that every text from a host, a log, a file or a server passes before it is shown. Status bar texts and
 * notification messages may carry icons (`$(name)`) and links (`[text](command:…)`), a terminal obeys escape sequences, and
 * bidirectional controls make a text read as another: none of these forms can come out of here.
 *
 * The result is one line without leading or trailing blanks, at most `maxLength` code points long (an ellipsis included),
 * and calling this on its own result changes nothing. Never throws.
 */
export function plain(text: string, maxLength = 120): string {
  const visible = text
    .slice(0, longestRead)
    .replace(terminalStrings, '')
    .replace(terminalSequences, '')
    .replace(blanks, ' ')
    .replace(invisible, '')
    .replace(stackedMarks, '$1')
    .replace(blanks, ' ')
    // A blank is the least that breaks both forms. Zero-width breakers would look the same, but would be copied along.
    .replace(linkOrIcon, '$1 (')
    .trim();
  return cut(visible, maxLength);
}

/** Shortens a text to at most `maxLength` code points, saying so with an ellipsis. */
export function cut(text: string, maxLength: number): string {
  if (text.length <= maxLength) return text;
  const points = [...text];
  if (points.length <= maxLength) return text;
  if (maxLength < 1) return '';
  return `${points
    .slice(0, maxLength - 1)
    .join('')
    .trimEnd()}…`;
}

/** Names longer than this are nobody's name; the bound keeps the work small (UTF-16 units). */
const longestRead = 65_536;

/*
 * ECMA-48 string sequences (OSC, DCS, SOS, PM, APC) with their content, only where they are terminated: an introducer alone
 * must not swallow the rest of a text. Their bodies exclude every introducer, which keeps the search linear.
 */
const terminalStrings =
  /(?:\u001b[\]PX^_]|[\u0090\u0098\u009d-\u009f])[^\u0007\u001b\u0080-\u009f]*(?:\u0007|\u001b\\|\u009c)/g;

/** ECMA-48 control sequences (CSI) and the two- and three-character escapes. */
const terminalSequences = /(?:\u001b\[|\u009b)[0-?]*[ -/]*[@-~]|\u001b[ -/]*[0-~]/g;

/** Every blank and line break of Unicode, and the braille cell without dots. */
const blanks = /[\p{White_Space}\u2800]+/gu;

/** Controls, format characters (bidirectional, zero-width, tags, soft hyphen), lone surrogates, and all that draws nothing. */
const invisible = /[\p{Cc}\p{Cf}\p{Cs}\p{Default_Ignorable_Code_Point}]/gu;

/** Marks stacked higher than any script needs draw over the lines around them. */
const stackedMarks = /(\p{M}{3})\p{M}+/gu;

const linkOrIcon = /([\]$])\(/g;
