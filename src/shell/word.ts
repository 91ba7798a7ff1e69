import type { Node } from 'web-tree-sitter';
import type { ShellWord, Span } from '../core/job/command/shellSyntax';

/** What the shell replaces when it runs. */
const expansionTypes: ReadonlySet<string> = new Set([
  'simple_expansion',
  'expansion',
  'command_substitution',
  'process_substitution',
  'arithmetic_expansion',
  'brace_expression',
]);

/** Reads one word of the tree: its text without quotes, and where each unit of it stands. */
export function readWord(node: Node, source: string): ShellWord {
  const at: number[] = [];
  const expansions: Span[] = [];
  let text = '';

  const verbatim = (start: number, end: number): void => {
    for (let index = start; index < end; index += 1) at.push(index);
    text += source.slice(start, end);
  };

  /** `escapable`: what a backslash takes its meaning from; null for everything, as outside of quotes. */
  const unescaped = (start: number, end: number, escapable: string | null): void => {
    for (let index = start; index < end; index += 1) {
      const next = source[index + 1];
      const escapes = source[index] === '\\' && next !== undefined && index + 1 < end;
      if (escapes && (escapable?.includes(next) ?? true)) {
        index += 1;
        // A line continuation is nothing at all.
        if (next === '\n') continue;
      }
      verbatim(index, index + 1);
    }
  };

  /** The children that the shell expands, and what stands between them. */
  const mixed = (children: readonly Node[], start: number, end: number, between: typeof verbatim): void => {
    let from = start;
    for (const child of children) {
      between(from, child.startIndex);
      append(child);
      from = child.endIndex;
    }
    between(from, end);
  };

  const append = (part: Node): void => {
    const { startIndex: start, endIndex: end, type } = part;
    if (expansionTypes.has(type)) {
      expansions.push({ start: text.length, end: text.length + (end - start) });
      return verbatim(start, end);
    }
    switch (type) {
      case 'word':
      case 'number':
        return mixed(
          part.namedChildren.filter(child => expansionTypes.has(child.type)),
          start,
          end,
          (from, to) => unescaped(from, to, null),
        );
      case 'raw_string':
        return verbatim(start + 1, end - 1);
      case 'ansi_c_string':
        return verbatim(start + 2, end - 1);
      case 'string':
        return mixed(
          part.namedChildren.filter(child => expansionTypes.has(child.type)),
          start + 1,
          end - 1,
          (from, to) => unescaped(from, to, '"\\$`\n'),
        );
      case 'concatenation':
      case 'command_name':
      case 'translated_string':
      case 'variable_assignment':
        return mixed(part.namedChildren, start, end, verbatim);
      default:
        return verbatim(start, end);
    }
  };

  append(node);
  return { start: node.startIndex, end: node.endIndex, text, at, expansions };
}
