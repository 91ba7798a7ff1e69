import { l10n, MarkdownString } from 'vscode';
import { tooltipMarkdown } from '../core/present/markdown';
import type { Tooltip } from '../core/present/tooltip';

/** Trusted with nothing: no command links, no HTML, no icons. */
export function tooltipContent(view: Tooltip): MarkdownString {
  const asOf = view.asOfMs === null ? null : l10n.t('as of {0}', timeOfDay(view.asOfMs));
  const content = new MarkdownString(tooltipMarkdown(view, asOf), false);
  content.isTrusted = false;
  content.supportHtml = false;
  return content;
}

/** "14:02:10", by the clock of this machine. */
function timeOfDay(ms: number): string {
  const time = new Date(ms);
  return [time.getHours(), time.getMinutes(), time.getSeconds()].map(part => String(part).padStart(2, '0')).join(':');
}
