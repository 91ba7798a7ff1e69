import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { main } from '../../tools/core/main';

interface Case {
  readonly file: string;
  readonly expect: object;
  readonly accept?: Readonly<Record<string, readonly unknown[]>>;
}

const folder = join(import.meta.dirname, '../../fixtures/smi');
const cases = JSON.parse(readFileSync(join(folder, 'index.json'), 'utf8')) as readonly Case[];

const lines: string[] = [];
const errors: string[] = [];
const exitCode = await main(['gpu', '--index', join(folder, 'index.json')], {
  out: line => lines.push(line),
  error: line => errors.push(line),
});

test('prints one line for each entry, in order, with the same five keys', () => {
  expect({ exitCode, errors }).toEqual({ exitCode: 0, errors: [] });
  const results = lines.map(line => JSON.parse(line) as { file: string });
  expect(results.map(result => result.file)).toEqual(cases.map(({ file }) => file));
  for (const result of results) expect(Object.keys(result)).toEqual(['file', 'gpus', 'processes', 'error', 'partial']);
  expect(cases.length).toBe(35);
});

test.each(cases.map((entry, at) => [entry.file, entry, at] as const))('%s', (_, entry, at) => {
  const printed: unknown = JSON.parse(lines[at] ?? '');
  const expected = { gpus: [], processes: [], error: null, partial: false, ...entry.expect };
  expect(differences('expect', expected, printed, entry.accept ?? {})).toEqual([]);
});

/** Where `actual` is not as expected. What the expectation does not mention is not compared. */
function differences(path: string, expected: unknown, actual: unknown, accept: Case['accept'] = {}): readonly string[] {
  if (accept[path]?.includes(actual) === true) return [];
  if (typeof expected !== 'object' || expected === null) {
    return Object.is(expected, actual) ? [] : [`${path}: ${JSON.stringify(actual)}, not ${JSON.stringify(expected)}`];
  }
  if (typeof actual !== 'object' || actual === null) return [`${path}: ${JSON.stringify(actual)}`];
  if (Array.isArray(expected) && expected.length !== (actual as readonly unknown[]).length) return [`${path}: length`];
  return Object.entries(expected).flatMap(([key, value]) => {
    const inner = Array.isArray(expected) ? `${path}[${key}]` : `${path}.${key}`;
    return differences(inner, value, (actual as Record<string, unknown>)[key], accept);
  });
}
