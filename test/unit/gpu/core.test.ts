import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { toJson } from '../../tools/core/json';
import { main } from '../../tools/core/main';

const folder = mkdtempSync(join(tmpdir(), 'headroom-core-'));
afterAll(() => rmSync(folder, { recursive: true }));

const write = (name: string, content: string | Uint8Array): string => {
  writeFileSync(join(folder, name), content);
  return join(folder, name);
};

async function run(...argv: readonly string[]) {
  const out: string[] = [];
  const error: string[] = [];
  const code = await main(argv, { out: line => out.push(line), error: line => error.push(line) });
  return { code, out: out.map(line => JSON.parse(line) as unknown), error };
}

const entry = { tool: 'nvidia-smi-csv', args: 'nvidia-smi --query-gpu=index,name --format=csv,noheader', exitCode: 0 };
const gpuNamed = (name: string) =>
  expect.objectContaining({ gpus: [expect.objectContaining({ name })], error: null }) as unknown;

test.each([
  [[]],
  [['nothing']],
  [['__proto__']],
  [['gpu']],
  [['gpu', '--index']],
  [['gpu', '--index', 'a', 'b']],
  [['gpu', '--other', 'a']],
  [['gpu', '--index', join(folder, 'missing\n.json')]],
  [['gpu', '--index', write('no.json', 'not\nJSON')]],
  [['gpu', '--index', write('object.json', '{}')]],
  [['gpu', '--index', write('number.json', '[1]')]],
  [['gpu', '--index', write('half.json', JSON.stringify([entry]))]],
  [['gpu', '--index', write('code.json', JSON.stringify([{ ...entry, file: 'x', exitCode: '0' }]))]],
])('%j is a usage error: one line on stderr, nothing on stdout', async argv => {
  const { code, out, error } = await run(...argv);
  expect({ code, out, lines: error.length }).toEqual({ code: 2, out: [], lines: 1 });
  expect(error[0]).not.toContain('\n');
});

test('a file that cannot be read is told on stderr, and the others are printed', async () => {
  write('good.txt', '0, NVIDIA A10\n');
  const index = write(
    'some.json',
    JSON.stringify([
      { ...entry, file: 'gone.txt' },
      { ...entry, file: 'good.txt' },
    ]),
  );
  const { code, out, error } = await run('gpu', `--index=${index}`);
  expect({ code, error }).toEqual({ code: 1, error: ['core: cannot read "gone.txt"'] });
  expect(out).toEqual([gpuNamed('NVIDIA A10')]);
});

test('what an index expects is not looked at, and an exit code may be missing', async () => {
  const index = write(
    'lie.json',
    JSON.stringify([{ ...entry, exitCode: undefined, file: 'good.txt', expect: { error: 'noTool' } }]),
  );
  expect((await run('gpu', '--index', index)).out).toEqual([gpuNamed('NVIDIA A10')]);
});

test('ill-formed bytes, UTF-16 and a byte order mark are read', async () => {
  write('bytes.txt', Buffer.from([...Buffer.from('0, A\xff10', 'latin1'), 10]));
  write('utf16.txt', Buffer.from('\uFEFF0, NVIDIA A10\r\n', 'utf16le'));
  write('bom.txt', '\uFEFF0, NVIDIA A10\n');
  const index = write(
    'bytes.json',
    JSON.stringify(['bytes.txt', 'utf16.txt', 'bom.txt'].map(file => ({ ...entry, file }))),
  );
  expect((await run('gpu', '--index', index)).out).toEqual([
    gpuNamed('A\uFFFD10'),
    gpuNamed('NVIDIA A10'),
    gpuNamed('NVIDIA A10'),
  ]);
});

test("other vendors' tools are not read yet, and said so", async () => {
  write('rocm.txt', '{}');
  const index = write(
    'rocm.json',
    JSON.stringify([{ tool: 'rocm-smi', args: 'rocm-smi --json', exitCode: 0, file: 'rocm.txt' }]),
  );
  expect((await run('gpu', '--index', index)).out).toEqual([
    { file: 'rocm.txt', gpus: [], processes: [], error: 'unsupportedTool', partial: false },
  ]);
});

test('whole numbers keep all their digits', () => {
  expect(toJson({ a: [2 ** 53, 2 ** 80, -0, 1.5], b: null, c: 'x"\n' })).toBe(
    '{"a":[9007199254740992,1208925819614629174706176,0,1.5],"b":null,"c":"x\\"\\n"}',
  );
});
