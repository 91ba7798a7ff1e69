/** What an nvidia-smi command line asked for: this decides how its output is read. */
export type SmiForm =
  | ({ readonly kind: 'gpus' | 'apps' } & TableQuery)
  | { readonly kind: 'list' }
  | { readonly kind: 'xml' }
  /** nvidia-smi in a form that has no reader here: the table, `-q` as text, dmon, accounted processes. */
  | { readonly kind: 'other' };

/** A query for a table. */
export interface TableQuery {
  /** Main names of what was asked, in the order of the columns. */
  readonly fields: readonly string[];
  readonly header: boolean;
  /** Repeated until stopped, so that rows of several moments follow each other. */
  readonly loop: boolean;
}

/** Other spellings of a field; the tool answers under the main name. */
const gpuAliases: Readonly<Record<string, string>> = {
  gpu_name: 'name',
  gpu_uuid: 'uuid',
  gpu_serial: 'serial',
  gpu_bus_id: 'pci.bus_id',
};
const appAliases: Readonly<Record<string, string>> = {
  name: 'process_name',
  used_memory: 'used_gpu_memory',
  uuid: 'gpu_uuid',
};

export const gpuField = (name: string): string => gpuAliases[name] ?? name;
export const appField = (name: string): string => appAliases[name] ?? name;

/** Reads a command line as people write it: any path, wrappers before the tool, redirections and remarks after it. null: not nvidia-smi. */
export function parseInvocation(commandLine: string): SmiForm | null {
  const asWritten = splitWords(commandLine);
  // `ssh host 'nvidia-smi -L'`, `sh -c "..."`: the command is inside the quotes.
  const words = asWritten.some(isTool) ? asWritten : splitWords(commandLine.replace(/["']/g, ' '));
  const tool = words.findIndex(isTool);
  if (tool < 0) return null;
  const options = readOptions(words.slice(tool + 1));

  const table = (fields: string, field: (name: string) => string): TableQuery => ({
    fields: splitList(fields).map(field),
    header: !splitList(options.get('format') ?? '').includes('noheader'),
    loop: options.has('loop') || options.has('loop-ms'),
  });
  const gpuFields = options.get('query-gpu');
  const appFields = options.get('query-compute-apps') ?? options.get('query-apps');
  if (gpuFields !== undefined) return { kind: 'gpus', ...table(gpuFields, gpuField) };
  if (appFields !== undefined) return { kind: 'apps', ...table(appFields, appField) };
  if (options.has('list-gpus')) return { kind: 'list' };
  if (options.has('xml-format')) return { kind: 'xml' };
  return { kind: 'other' };
}

const isTool = (word: string): boolean => /(^|[/\\])nvidia-smi(\.exe)?$/i.test(word);

/** Short forms and their long names; those of the long ones that take a value may have it after "=" or as the next word. */
const shortOptions: Readonly<Record<string, string>> = {
  '-L': 'list-gpus',
  '-x': 'xml-format',
  '-q': 'query',
  '-l': 'loop',
  '-lms': 'loop-ms',
};
const valueOptions: ReadonlySet<string> = new Set(['query-gpu', 'query-compute-apps', 'query-apps', 'format']);

function readOptions(words: readonly string[]): ReadonlyMap<string, string> {
  const options = new Map<string, string>();
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (isShellOperator(word)) break;
    const [, flag = word, inline] = /^(-[^=]*)=(.*)$/s.exec(word) ?? [];
    const name = nameOf(flag);
    if (name === null) continue;
    let value = inline ?? (valueOptions.has(name) ? words[++at] : undefined) ?? '';
    // "csv, noheader" without quotes: the list goes on in the next word.
    while (valueOptions.has(name) && value.endsWith(',') && at + 1 < words.length) value += words[++at] ?? '';
    options.set(name, value);
  }
  return options;
}

function nameOf(flag: string): string | null {
  if (flag.startsWith('--')) return flag.slice(2);
  const attached = /^(-lms|-l)\d+$/.exec(flag)?.[1];
  return shortOptions[attached ?? flag] ?? null;
}

const isShellOperator = (word: string): boolean => /^(\d?>|[|;&])/.test(word);

const splitList = (value: string): readonly string[] =>
  value
    .split(',')
    .map(item => item.trim().toLowerCase())
    .filter(item => item !== '');

/** Words as a shell would see them, but with backslashes left alone: they are part of Windows paths. */
function splitWords(commandLine: string): readonly string[] {
  const words = commandLine.match(/(?:"[^"]*"|'[^']*'|[^\s"';|])+|["';|]/g) ?? [];
  return words.map(word =>
    word.replace(/"([^"]*)"|'([^']*)'/g, (_, double?: string, single?: string) => double ?? single ?? ''),
  );
}
