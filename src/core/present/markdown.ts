import type { Tooltip, TooltipSection } from './tooltip';

/**
 * A tooltip as Markdown in which only our own table and emphasis mean anything. To be shown without trust, HTML and theme
 * icons; the escaping alone is already enough to keep every cell plain text.
 */
export function tooltipMarkdown(view: Tooltip, asOf: string | null): string {
  const title =
    asOf === null ? `**${escapeMarkdown(view.title)}**` : `**${escapeMarkdown(view.title)}** ${escapeMarkdown(asOf)}`;
  return [title, ...view.sections.map(sectionMarkdown)].join('\n\n');
}

/**
 * CommonMark lets a backslash take the meaning off any ASCII punctuation; escaping all of it also breaks bare addresses,
 * HTML, entities, table cells and icons. Line breaks would start new blocks, so they become blanks.
 */
export function escapeMarkdown(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/[!-/:-@[-`{-~]/g, '\\$&');
}

function sectionMarkdown(section: TooltipSection): string {
  // Two blanks at the end of a line keep the break.
  if (section.kind === 'lines') return section.lines.map(escapeMarkdown).join('  \n');
  const row = (cells: readonly string[]): string => `| ${cells.map(escapeMarkdown).join(' | ')} |`;
  const alignment = section.header.map((_, column) => (section.numeric[column] === true ? ' ---: |' : ' :--- |'));
  return [row(section.header), `|${alignment.join('')}`, ...section.rows.map(row)].join('\n');
}
