/**
 * The import table of the project as a lint rule. It lists what a layer MAY import; everything else is an error, for types
 * as for values, so that a new package or a new layer has to be thought about here first.
 */
import { relative, resolve, sep } from 'node:path';

const src = resolve(import.meta.dirname, '../../src');

/**
 * `inside`: folders and files of src. `packages`: by name, `node:` standing for all of Node. `types`: of these only types.
 * The first row whose `of` holds the file counts.
 */
export const table = [
  { of: 'core', inside: ['core'], packages: ['yaml'], types: [] },
  { of: 'shell', inside: ['shell', 'core'], packages: ['web-tree-sitter'], types: [] },
  { of: 'control', inside: ['control', 'core'], packages: [], types: [] },
  {
    of: 'hosts',
    inside: ['hosts', 'core', 'control/ports'],
    packages: ['node:', 'ssh2', 'execa', 'ssh-config', 'tinyglobby'],
    types: [],
  },
  { of: 'language', inside: ['language', 'core', 'shell'], packages: ['vscode-languageserver'], types: [] },
  { of: 'editor', inside: ['editor', 'core', 'shell', 'control', 'hosts'], packages: ['vscode', 'node:'], types: [] },
  { of: 'extension', inside: ['editor/compose'], packages: [], types: ['vscode'] },
];

const isAt = (path, place) => path === place || path.startsWith(`${place}/`);

/** "../core/base/event" in src/control/x.ts → "core/base/event"; null for what lies outside src. */
function placeOf(file) {
  const path = relative(src, file).split(sep).join('/');
  return path.startsWith('..') ? null : path.replace(/\.ts$/, '');
}

function packageOf(specifier) {
  if (specifier.startsWith('node:')) return 'node:';
  return specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');
}

function isAllowed(row, file, specifier, typeOnly) {
  if (specifier.startsWith('.')) {
    const target = placeOf(resolve(file, '..', specifier));
    return target !== null && row.inside.some(place => isAt(target, place));
  }
  const name = packageOf(specifier);
  return row.packages.includes(name) || (typeOnly && row.types.includes(name));
}

/** @type {import('eslint').Rule.RuleModule} */
export const layers = {
  meta: {
    type: 'problem',
    schema: [],
    messages: { crossed: '{{layer}} may not import "{{specifier}}" (the table is in test/tools/layers.mjs).' },
  },
  create(context) {
    const file = resolve(context.filename);
    const place = placeOf(file);
    const row = table.find(({ of }) => place !== null && isAt(place, of));
    if (row === undefined) return {};
    const check = (node, source, typeOnly) => {
      if (typeof source?.value !== 'string' || isAllowed(row, file, source.value, typeOnly)) return;
      context.report({ node, messageId: 'crossed', data: { layer: row.of, specifier: source.value } });
    };
    return {
      ImportDeclaration: node => check(node, node.source, node.importKind === 'type'),
      ExportNamedDeclaration: node => check(node, node.source, node.exportKind === 'type'),
      ExportAllDeclaration: node => check(node, node.source, node.exportKind === 'type'),
      ImportExpression: node => check(node, node.source, false),
      TSImportType: node => check(node, node.source ?? node.argument?.literal, true),
    };
  },
};
