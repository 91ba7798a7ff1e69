import { join } from 'node:path';
import type { ShellParser } from '../../../src/core/job/command/shellSyntax';
import { loadTreeSitterShell } from '../../../src/shell/treeSitterShell';
import { root } from '../../support/paths';

/** The real parser, from the packages that it is bundled from. */
export function loadParser(): Promise<ShellParser> {
  const modules = join(root, 'node_modules');
  return loadTreeSitterShell({
    engine: join(modules, 'web-tree-sitter/web-tree-sitter.wasm'),
    grammar: join(modules, 'tree-sitter-bash/tree-sitter-bash.wasm'),
  });
}
