import { join } from 'node:path';
import type { ShellParser } from '../../core/job/command/shellSyntax';

/** The parser of shell text, loaded when a command is first looked into: it and its grammar are heavy. */
export function createShellParser(extensionPath: string): () => Promise<ShellParser> {
  const at = (file: string): string => join(extensionPath, 'dist', file);
  let loaded: Promise<ShellParser> | null = null;
  return () => {
    loaded ??= load({ engine: at('web-tree-sitter.wasm'), grammar: at('tree-sitter-bash.wasm') }).catch(
      (error: unknown) => {
        // Asked again, it is tried again.
        loaded = null;
        throw error;
      },
    );
    return loaded;
  };
}

async function load(files: { readonly engine: string; readonly grammar: string }): Promise<ShellParser> {
  const { loadTreeSitterShell } = await import('../../shell/treeSitterShell');
  return loadTreeSitterShell(files);
}
