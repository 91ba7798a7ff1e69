import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { describe, expect, it } from 'vitest';
import { root } from '../support/paths';
import { sourceFiles } from './sourceFiles';

const sources = sourceFiles();

/** The texts that a file can put on the screen: string literals and the fixed parts of templates, comments left out. */
function texts(file: string): readonly string[] {
  const tree = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest);
  const found: string[] = [];
  const visit = (node: ts.Node): void => {
    if (ts.isStringLiteralLike(node) || ts.isTemplateHead(node) || ts.isTemplateMiddleOrTemplateTail(node))
      found.push(node.text);
    ts.forEachChild(node, visit);
  };
  visit(tree);
  return found;
}

describe('units of memory', () => {
  const formatter = 'src/core/present/format.ts';

  it('are written by one formatter', () => {
    const unit = /\b[KMGT]i?B\b|gi[gb][ia]bytes?/i;
    expect(texts(formatter).some(text => unit.test(text))).toBe(true);
    // Parsers read the units of other programs; what they make of them is bytes.
    const writers = sources.filter(file => !/^src\/core\/(gpu|host)\//.test(file));
    expect(writers.filter(file => texts(file).some(text => unit.test(text)))).toEqual([formatter]);
  });
});

describe('texts of the user interface', () => {
  it('are translatable: what the editor shows by itself goes through l10n.t', () => {
    const shows = /\b(?:showErrorMessage|showWarningMessage|showInformationMessage)\(\s*['"`]/;
    const bare = sources
      .filter(file => file.startsWith('src/editor/'))
      .filter(file => shows.test(readFileSync(join(root, file), 'utf8')));
    expect(bare).toEqual([]);
  });
});

describe('the start of the extension', () => {
  it('is short', () => {
    expect(readFileSync(join(root, 'src/extension.ts'), 'utf8').split('\n').length).toBeLessThan(60);
  });
});

describe('a test', () => {
  it('signals processes by the one function that cannot mean a whole group', () => {
    const tests = readdirSync(join(root, 'test'), { recursive: true, encoding: 'utf8' })
      .filter(file => file.endsWith('.ts'))
      .map(file => join('test', file));
    const signalling = tests.filter(file => readFileSync(join(root, file), 'utf8').includes('process.' + 'kill('));
    expect(signalling).toEqual(['test/support/processes.ts']);
  });
});
