/**
 * nvidia-smi's CSV: cells parted by a comma and a blank, no quoting and no escaping, ever. Lines of other programs (a
 * container's hook, ssh, warnings) may stand between the rows, on the same stream.
 */
export interface Table {
  /** Main names of the columns, in the order of the cells. */
  readonly columns: readonly string[];
  readonly rows: readonly Row[];
  /** Lines that are neither header nor row. */
  readonly noise: readonly string[];
  /** The output ends inside a row of this many cells: it was cut off. */
  readonly cut: readonly string[] | null;
}

/** The cells of a row, by column. */
export type Row = ReadonlyMap<string, string>;

export interface TableShape {
  readonly fields: readonly string[];
  readonly header: boolean;
  /** The main name of a column for any spelling of it. */
  readonly field: (name: string) => string;
  /** The column of free text, which may hold separators itself: what is left over in a row belongs to it. */
  readonly freeColumn: string | null;
  /** Whether cells in the right number can be a row of this table at all. */
  readonly plausible: (row: Row) => boolean;
}

/** Programs around the tool that write to the same stream. With one column asked, nothing else tells their lines from rows. */
const wrapperLine = /^(\[HAMI-core |warning: |srun: |slurmstepd: )/i;

export function readTable(lines: readonly string[], terminated: boolean, shape: TableShape): Table {
  const headerAt = shape.header ? lines.findIndex(line => isHeader(line, shape)) : -1;
  const header = lines[headerAt];
  const columns = header === undefined ? shape.fields : headerNames(header, shape);

  const rows: Row[] = [];
  const noise: string[] = [];
  let cut: readonly string[] | null = null;
  lines.forEach((line, at) => {
    if (line.trim() === '' || line === header) return;
    const row = wrapperLine.test(line) ? null : readRow(line, columns, shape.freeColumn);
    if (row !== null && shape.plausible(row)) rows.push(row);
    else if (at === lines.length - 1 && !terminated && splitCells(line).length < columns.length) cut = splitCells(line);
    else noise.push(line);
  });
  return { columns, rows, noise, cut };
}

/** Lines without their ends, and whether the last one was ended: if not, it may have been cut off. */
export function splitLines(text: string): { readonly lines: readonly string[]; readonly terminated: boolean } {
  const lines = text.replace(/^\uFEFF/, '').split(/\r*\n|\r/);
  const terminated = lines.at(-1) === '';
  return { lines: terminated ? lines.slice(0, -1) : lines, terminated };
}

function readRow(line: string, columns: readonly string[], freeColumn: string | null): Row | null {
  const cells = splitCells(line);
  const surplus = cells.length - columns.length;
  const free = freeColumn === null ? -1 : columns.indexOf(freeColumn);
  if (surplus < 0 || (surplus > 0 && free < 0)) return null;
  // Fixed columns from both ends; the free column takes what lies between them.
  const joined =
    surplus === 0
      ? cells
      : [...cells.slice(0, free), cells.slice(free, free + surplus + 1).join(', '), ...cells.slice(free + surplus + 1)];
  return new Map(columns.map((column, at) => [column, joined[at] ?? '']));
}

/** An empty last cell leaves the separator at the end, or its comma where blanks at line ends were taken off. */
const splitCells = (line: string): readonly string[] => line.replace(/,$/, ', ').split(', ');

const headerCell = /^([a-z][a-z0-9_.]*)(?: \[[^\]]*\])?$/i;

/** "memory.used [MiB]" -> "memory.used" */
const headerNames = (line: string, shape: TableShape): readonly string[] =>
  splitCells(line).map(cell => shape.field((headerCell.exec(cell.trim())?.[1] ?? '').toLowerCase()));

/** Some fields come back under a name that was not asked (clocks.sm as clocks.current.sm), so one known name is enough. */
function isHeader(line: string, shape: TableShape): boolean {
  const names = headerNames(line, shape);
  return names.length === shape.fields.length && !names.includes('') && names.some(name => shape.fields.includes(name));
}
