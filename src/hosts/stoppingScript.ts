import { quoteShellText } from '../core/base/shellText';
import { shellQuote } from './shellQuote';
import stopping from './scripts/stopping.sh';

/** The two scripts by which a stop is announced in the folder of an attempt, and taken back. */
export interface StoppingScripts {
  readonly announce: string;
  readonly withdraw: string;
}

/** stopping.sh for one attempt; null for a folder that no path can be. */
export function stoppingScripts(folder: string, by: string, reason: string): StoppingScripts | null {
  const quotedFolder = shellQuote(folder);
  if (quotedFolder === null) return null;
  const words = `HEADROOM_DIR=${quotedFolder} HEADROOM_BY=${oneLine(by)} HEADROOM_REASON=${oneLine(reason)}`;
  const scriptTo = (what: 'announce' | 'withdraw'): string => `${words} HEADROOM_STOP=${what}\n${stopping}`;
  return { announce: scriptTo('announce'), withdraw: scriptTo('withdraw') };
}

/** A value in the folder ends with its line. */
const oneLine = (text: string): string => quoteShellText(text.replace(/\p{Cc}+/gu, ' '));
