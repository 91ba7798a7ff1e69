import { quoteShellText } from '../core/base/shellText';

/**
 * A text as one word of a line of a POSIX shell script. null for a text with a control character: no path that a user means
 * holds one, and a line break would end the line of the script that the word stands in.
 */
export function shellQuote(text: string): string | null {
  return /\p{Cc}/u.test(text) ? null : quoteShellText(text);
}
