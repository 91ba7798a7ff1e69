import { ESLint } from 'eslint';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { root } from '../support/paths';
import { table } from '../tools/layers.mjs';

/**
 * Lints code as if it stood in `file`, and gives the names of the rules it breaks. Types are not asked: the files do not
 * exist, so no program knows them.
 */
const eslint = new ESLint({
  cwd: root,
  ruleFilter: ({ ruleId }) => ruleId === 'headroom/layers' || ruleId.startsWith('no-restricted-'),
  overrideConfig: { languageOptions: { parserOptions: { projectService: false } } },
});

async function broken(file: string, code: string): Promise<readonly string[]> {
  const [result] = await eslint.lintText(code, { filePath: join(root, file) });
  return result!.messages.map(message => message.ruleId ?? message.message);
}

interface Example {
  readonly file: string;
  readonly legal: readonly string[];
  readonly illegal: readonly string[];
}

const examples: Readonly<Record<string, Example>> = {
  core: {
    file: 'src/core/base/example.ts',
    legal: [`import { a } from './event';`, `import { a } from '../host/hostSpec';`, `import { parse } from 'yaml';`],
    illegal: [
      `import * as vscode from 'vscode';`,
      `import type { Uri } from 'vscode';`,
      `import { Client } from 'ssh2';`,
      `import { execa } from 'execa';`,
      `import { readFile } from 'node:fs/promises';`,
      `import { readFile } from 'fs';`,
      `import { a } from '../../control/ports';`,
      `import type { A } from '../../hosts/a';`,
      `import { a } from '../../editor/a';`,
      `import { a } from '../../shell/a';`,
      `import { a } from '../../language/a';`,
      `export { a } from '../../hosts/a';`,
      `export * from '../../hosts/a';`,
      `const a = await import('../../hosts/a');`,
      `type A = import('../../hosts/a').A;`,
      `import { a } from '../../../test/support/a';`,
    ],
  },
  shell: {
    file: 'src/shell/example.ts',
    legal: [`import { a } from '../core/base/event';`, `import { Parser } from 'web-tree-sitter';`],
    illegal: [`import 'vscode';`, `import { a } from '../control/ports';`, `import { a } from '../hosts/a';`],
  },
  control: {
    file: 'src/control/example.ts',
    legal: [`import { a } from './ports';`, `import { a } from '../core/base/event';`],
    illegal: [
      `import 'vscode';`,
      `import 'ssh2';`,
      `import 'execa';`,
      `import 'node:os';`,
      `import { a } from '../hosts/a';`,
      `import { a } from '../editor/a';`,
    ],
  },
  hosts: {
    file: 'src/hosts/ssh/example.ts',
    legal: [
      `import { a } from '../../core/base/event';`,
      `import type { HostConnector } from '../../control/ports';`,
      `import { Client } from 'ssh2';`,
      `import { execa } from 'execa';`,
      `import { readFile } from 'node:fs/promises';`,
      `import script from '../scripts/watch.sh';`,
    ],
    illegal: [`import 'vscode';`, `import { a } from '../../control/watch';`, `import { a } from '../../editor/a';`],
  },
  language: {
    file: 'src/language/example.ts',
    legal: [
      `import { a } from '../core/base/event';`,
      `import { a } from '../shell/a';`,
      `import { createConnection } from 'vscode-languageserver/node';`,
    ],
    illegal: [`import 'vscode';`, `import { a } from '../control/ports';`, `import { a } from '../hosts/a';`],
  },
  editor: {
    file: 'src/editor/commands/example.ts',
    legal: [
      `import * as vscode from 'vscode';`,
      `import { a } from '../../control/ports';`,
      `const a = await import('../../hosts/a');`,
      `import { a } from '../../core/base/event';`,
      `import { a } from '../../shell/a';`,
    ],
    illegal: [`import 'ssh2';`, `import 'execa';`, `import { a } from '../../language/server';`],
  },
  extension: {
    file: 'src/extension.ts',
    legal: [`import { compose } from './editor/compose';`, `import type { ExtensionContext } from 'vscode';`],
    illegal: [
      `import * as vscode from 'vscode';`,
      `import { a } from './editor/statusBar';`,
      `import { a } from './core/base/event';`,
      `import { a } from './control/ports';`,
      `import { a } from './hosts/a';`,
      `import 'ssh2';`,
    ],
  },
};

it('has an example of every row of the table', () => {
  expect(Object.keys(examples)).toEqual(table.map(row => row.of));
});

describe.each(Object.entries(examples))('%s', (_, { file, legal, illegal }) => {
  it.each(legal)('may %s', async code => {
    expect(await broken(file, code)).toEqual([]);
  });

  it.each(illegal)('may not %s', async code => {
    expect(await broken(file, code)).toEqual(['headroom/layers']);
  });
});

describe.each(['src/core/base/example.ts', 'src/control/example.ts'])('%s', file => {
  it.each([
    ['setTimeout(() => 0, 1);', 'no-restricted-globals'],
    ['setInterval(() => 0, 1);', 'no-restricted-globals'],
    ['export const a = process.env;', 'no-restricted-globals'],
    ['console.log(1);', 'no-restricted-globals'],
    ['export const a = globalThis;', 'no-restricted-globals'],
    [`require('node:fs');`, 'no-restricted-globals'],
    ['export const a = Date.now();', 'no-restricted-properties'],
    ['export const a = Math.random();', 'no-restricted-properties'],
    ['export const a = new Date();', 'no-restricted-syntax'],
  ])('may not %s', async (code, rule) => {
    expect(await broken(file, code)).toEqual([rule]);
  });

  it('may reckon with times that it was given', async () => {
    expect(await broken(file, 'export const a = new Date(0), b = Math.max(1, 2);')).toEqual([]);
  });
});

it('leaves time and processes to the adapters', async () => {
  expect(await broken('src/hosts/example.ts', 'setTimeout(() => process.pid + Date.now(), 1);')).toEqual([]);
});
