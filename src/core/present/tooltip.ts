/** What a hover says, as plain data: every text in it has passed `plain()`. How it is drawn is the editor's matter. */
export interface Tooltip {
  readonly title: string;
  readonly sections: readonly TooltipSection[];
  /** When the numbers in it were taken, by the editor's clock; null when it has none. */
  readonly asOfMs: number | null;
}

export type TooltipSection =
  | { readonly kind: 'lines'; readonly lines: readonly string[] }
  | {
      readonly kind: 'table';
      readonly header: readonly string[];
      /** Which columns are numbers, and so stand to the right. */
      readonly numeric: readonly boolean[];
      readonly rows: readonly (readonly string[])[];
    };

export function lines(...texts: readonly (string | null)[]): TooltipSection {
  return { kind: 'lines', lines: texts.filter((text): text is string => text !== null && text !== '') };
}

/** Leaves out sections in which nothing is said. */
export function tooltip(title: string, sections: readonly TooltipSection[], asOfMs: number | null = null): Tooltip {
  const filled = sections.filter(section => (section.kind === 'lines' ? section.lines : section.rows).length > 0);
  return { title, sections: filled, asOfMs };
}
