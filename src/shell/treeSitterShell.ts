import { Language, Parser } from 'web-tree-sitter';
import type { ShellParser, ShellScript } from '../core/job/command/shellSyntax';
import { readScript } from './syntaxTree';

export interface ShellFiles {
  /** web-tree-sitter.wasm, the engine. */
  readonly engine: string;
  /** tree-sitter-bash.wasm, the grammar. */
  readonly grammar: string;
}

/** A longer text is no command that anybody typed or pasted. */
const longestText = 100_000;

const nothing: ShellScript = { commands: [], whole: false };

/** Loads the grammar of bash, which POSIX sh is nearly a part of. Rejects when a file cannot be read. */
export async function loadTreeSitterShell(files: ShellFiles): Promise<ShellParser> {
  await Parser.init({ locateFile: () => files.engine });
  const language = await Language.load(files.grammar);
  const parser = new Parser();
  parser.setLanguage(language);
  return {
    parse(text) {
      if (text.length > longestText) return nothing;
      const tree = parser.parse(text);
      if (tree === null) return nothing;
      try {
        return readScript(tree.rootNode, text);
      } finally {
        tree.delete();
      }
    },
  };
}
