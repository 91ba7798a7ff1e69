import type { Node } from 'web-tree-sitter';
import type {
  Nesting,
  ShellAssignment,
  ShellCommand,
  ShellRedirect,
  ShellScript,
  ShellWord,
} from '../core/job/command/shellSyntax';
import { readWord } from './word';

/** Deeper than any command that means something; recursion without end would end in a stack overflow. */
const deepest = 400;

interface Place {
  readonly nesting: readonly Nesting[];
  readonly background: boolean;
  readonly depth: number;
}

const nestingOf: Readonly<Record<string, Nesting>> = {
  subshell: 'subshell',
  compound_statement: 'group',
  for_statement: 'loop',
  c_style_for_statement: 'loop',
  while_statement: 'loop',
  if_statement: 'condition',
  case_statement: 'condition',
  function_definition: 'function',
  command_substitution: 'substitution',
  process_substitution: 'substitution',
};

/** Reads the tree that the grammar of bash makes of a text. */
export function readScript(root: Node, text: string): ShellScript {
  const commands: ShellCommand[] = [];
  let whole = !root.hasError;

  const visit = (node: Node, place: Place): void => {
    if (place.depth > deepest) {
      whole = false;
      return;
    }
    const inner: Place = { ...place, depth: place.depth + 1 };
    switch (node.type) {
      case 'command':
      case 'declaration_command':
      case 'variable_assignment':
      case 'variable_assignments':
        commands.push(commandOf(node, text, inner));
        visitSubstitutions(node, inner);
        return;
      case 'redirected_statement':
        return visitRedirected(node, inner);
      default:
        return visitChildren(node, inner);
    }
  };

  const visitChildren = (node: Node, place: Place): void => {
    const nesting = nestingOf[node.type];
    const inside = nesting === undefined ? place : { ...place, nesting: [...place.nesting, nesting] };
    const children = node.children;
    for (const [index, child] of children.entries()) {
      if (!child.isNamed) continue;
      const background = inside.background || children[index + 1]?.type === '&';
      visit(child, { ...inside, background });
    }
  };

  const visitRedirected = (node: Node, place: Place): void => {
    const redirects: ShellRedirect[] = [];
    for (const child of node.namedChildren) {
      const redirect = redirectOf(child, text);
      if (redirect === null) visit(child, place);
      else {
        redirects.push(redirect);
        visitSubstitutions(child, place);
      }
    }
    // They belong to all of a compound command; its last simple command stands for it.
    const last = commands.at(-1);
    if (last !== undefined) commands[commands.length - 1] = { ...last, redirects: [...last.redirects, ...redirects] };
  };

  /** The commands inside of words: `$(…)`, also within quotes. */
  const visitSubstitutions = (node: Node, place: Place): void => {
    for (const child of node.namedChildren) {
      if (nestingOf[child.type] === 'substitution') visit(child, { ...place, background: false });
      else if (place.depth < deepest) visitSubstitutions(child, { ...place, depth: place.depth + 1 });
    }
  };

  visit(root, { nesting: [], background: false, depth: 0 });
  return { commands, whole };
}

function commandOf(node: Node, text: string, { nesting, background }: Place): ShellCommand {
  const assignments: ShellAssignment[] = [];
  const words: ShellWord[] = [];
  const redirects: ShellRedirect[] = [];
  const isDeclaration = node.type === 'declaration_command';
  const parts = node.type === 'variable_assignment' ? [node] : isDeclaration ? node.children : node.namedChildren;
  for (const part of parts) {
    const redirect = redirectOf(part, text);
    if (redirect !== null) redirects.push(redirect);
    // `export` and its kin take assignments as words.
    else if (part.type === 'variable_assignment' && !isDeclaration) assignments.push(assignmentOf(part, text));
    else if (part.type !== 'comment') {
      const word = readWord(part, text);
      const before = words.at(-1);
      if (before !== undefined && /^\\[ \t]$/.test(text.slice(before.end, word.start))) {
        words[words.length - 1] = glued(before, text, word);
      } else words.push(word);
    }
  }
  return { start: node.startIndex, end: node.endIndex, assignments, words, redirects, nesting, background };
}

/** The grammar takes an escaped blank behind a quote for one that separates words. */
function glued(before: ShellWord, source: string, behind: ShellWord): ShellWord {
  const shift = before.text.length + 1;
  return {
    start: before.start,
    end: behind.end,
    text: before.text + source.slice(before.end + 1, behind.start) + behind.text,
    at: [...before.at, before.end + 1, ...behind.at],
    expansions: [
      ...before.expansions,
      ...behind.expansions.map(({ start, end }) => ({ start: start + shift, end: end + shift })),
    ],
  };
}

function assignmentOf(node: Node, text: string): ShellAssignment {
  const [name, value] = node.namedChildren;
  const span = { start: node.startIndex, end: node.endIndex, name: name?.text ?? '' };
  if (value?.type === 'array') {
    return { ...span, value: null, elements: value.namedChildren.map(element => readWord(element, text)) };
  }
  return { ...span, value: value === undefined ? null : readWord(value, text), elements: [] };
}

function redirectOf(node: Node, text: string): ShellRedirect | null {
  const span = { start: node.startIndex, end: node.endIndex };
  if (node.type === 'heredoc_redirect') return { ...span, operator: '<<', target: null };
  if (node.type !== 'file_redirect' && node.type !== 'herestring_redirect') return null;
  const target = node.namedChildren.find(child => child.type !== 'file_descriptor');
  const operator = text.slice(node.startIndex, target?.startIndex ?? node.endIndex).trim();
  return { ...span, operator, target: target === undefined ? null : readWord(target, text) };
}
