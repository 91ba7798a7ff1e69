import { isAlias, isMap, isScalar, isSeq, type Document, type LineCounter, type ParsedNode, type Scalar } from 'yaml';
import type { JobFileProblem } from './jobFileProblem';
import { suggest } from './suggest';

export type YamlNode = ParsedNode | null;

/** A key of a map with its value, and where the key stands. */
export interface Entry {
  readonly key: string;
  readonly keyNode: YamlNode;
  readonly value: YamlNode;
}

/**
 * Looks at the nodes of a document and collects what is wrong with them. Each reading gives the value, or null after noting
 * a problem, so that one pass finds every problem of a file.
 */
export interface Reader {
  readonly problems: readonly JobFileProblem[];
  /** Notes a problem at a node. */
  problem(node: YamlNode, message: string): null;
  problemAt(start: number, end: number, message: string): null;
  /** The entries of a map; `known` are its keys, null where the user chooses them. */
  entries(node: YamlNode, what: string, known: readonly string[] | null, example: string): readonly Entry[] | null;
  items(node: YamlNode, what: string, example: string): readonly YamlNode[] | null;
  /** A text that is not empty. */
  text(node: YamlNode, what: string, example: string): string | null;
  /** Any scalar as it is written; for values that are texts to whoever gets them. */
  written(node: YamlNode, what: string, example: string): string | null;
  number(node: YamlNode, what: string, example: string): number | null;
  oneOf<const T extends string>(node: YamlNode, what: string, choices: readonly T[]): T | null;
  /** Follows an alias to what it stands for. */
  target(node: YamlNode): YamlNode;
}

export function createReader(document: Document.Parsed, lines: LineCounter): Reader {
  const problems: JobFileProblem[] = [];

  const problemAt = (start: number, end: number, message: string): null => {
    const { line, col } = lines.linePos(start);
    problems.push({ message, line: Math.max(1, line), column: Math.max(1, col), start, end: Math.max(start, end) });
    return null;
  };

  const problem = (node: YamlNode, message: string): null => {
    const [start, end] = node?.range ?? document.contents?.range ?? [0, 0];
    return problemAt(start, end, message);
  };

  const target = (node: YamlNode): YamlNode => {
    if (!isAlias(node)) return node;
    return (node.resolve(document) as ParsedNode | undefined) ?? null;
  };

  const wrong = (node: YamlNode, what: string, wanted: string, example: string): null =>
    problem(node, `${what} must be ${wanted}. Write: ${example}`);

  const scalar = (node: YamlNode): Scalar.Parsed | null => {
    const found = target(node);
    return isScalar(found) ? found : null;
  };

  return {
    problems,
    problem,
    problemAt,
    target,

    entries(node, what, known, example) {
      const map = target(node);
      if (!isMap(map)) return wrong(node, what, 'a list of keys with values', example);
      const entries: Entry[] = [];
      for (const { key: keyNode, value } of map.items as readonly { key: ParsedNode; value: ParsedNode | null }[]) {
        const key = scalar(keyNode);
        if (key === null || key.value === null) {
          problem(keyNode, `A key of ${what} must be a word. Write: ${example}`);
          continue;
        }
        const name = typeof key.value === 'string' ? key.value : key.source;
        if (known !== null && !known.includes(name)) {
          const meant = suggest(name, known);
          const hint = meant === null ? `Known are: ${known.join(', ')}.` : `Did you mean “${meant}”?`;
          problem(keyNode, `${what} has no “${name}”. ${hint}`);
          continue;
        }
        entries.push({ key: name, keyNode, value });
      }
      return entries;
    },

    items(node, what, example) {
      const list = target(node);
      return isSeq(list) ? list.items : wrong(node, what, 'a list', example);
    },

    text(node, what, example) {
      const found = scalar(node);
      if (typeof found?.value !== 'string') {
        const key = /^\w+: /.exec(example)?.[0] ?? '';
        const quoted = found === null || found.value === null ? null : key + JSON.stringify(found.source);
        return wrong(node, what, 'a text', quoted ?? example);
      }
      return found.value.trim() === '' ? wrong(node, what, 'a text that is not empty', example) : found.value;
    },

    written(node, what, example) {
      const found = scalar(node);
      if (found === null || found.value === null) return wrong(node, what, 'a text or a number', example);
      return typeof found.value === 'string' ? found.value : found.source;
    },

    number(node, what, example) {
      const value = scalar(node)?.value;
      return typeof value === 'number' && Number.isFinite(value) ? value : wrong(node, what, 'a number', example);
    },

    oneOf(node, what, choices) {
      const value = scalar(node)?.value;
      const chosen = choices.find(choice => choice === value);
      if (chosen !== undefined) return chosen;
      const meant = typeof value === 'string' ? suggest(value, choices) : null;
      const hint = meant === null ? '' : ` Did you mean “${meant}”?`;
      return problem(node, `${what} must be one of ${choices.join(', ')}.${hint}`);
    },
  };
}
