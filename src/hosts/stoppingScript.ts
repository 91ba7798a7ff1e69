import type { JobScripts } from '../control/ports';
import { quoteShellText } from '../core/base/shellText';
import { shellQuote } from './shellQuote';
import stopping from './scripts/stopping.sh';

/** stopping.sh for one attempt. */
export const stoppingScripts: JobScripts['stopping'] = (folder, by, reason) => {
  const quotedFolder = shellQuote(folder);
  if (quotedFolder === null) return null;
  const words = `HEADROOM_DIR=${quotedFolder} HEADROOM_BY=${oneLine(by)} HEADROOM_REASON=${oneLine(reason)}`;
  const scriptTo = (what: 'announce' | 'withdraw'): string => `${words} HEADROOM_STOP=${what}\n${stopping}`;
  return { announce: scriptTo('announce'), withdraw: scriptTo('withdraw') };
};

/** A value in the folder ends with its line. */
const oneLine = (text: string): string => quoteShellText(text.replace(/\p{Cc}+/gu, ' '));
