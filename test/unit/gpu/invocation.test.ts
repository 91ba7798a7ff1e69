import { expect, test } from 'vitest';
import { parseInvocation } from '../../../src/core/gpu/smi/invocation';

const table = (kind: 'gpus' | 'apps', fields: readonly string[], header = true, loop = false) => ({
  kind,
  fields,
  header,
  loop,
});

test.each([
  ['nvidia-smi --query-gpu=index,gpu_name --format=csv', table('gpus', ['index', 'name'])],
  ['nvidia-smi --format=csv,noheader,nounits --query-gpu=Index,GPU_UUID', table('gpus', ['index', 'uuid'], false)],
  ['nvidia-smi --query-gpu index,name --format csv,noheader', table('gpus', ['index', 'name'], false)],
  ['nvidia-smi --query-gpu=index, name --format=csv, noheader', table('gpus', ['index', 'name'], false)],
  [`nvidia-smi --query-gpu='index,name' --format="csv,noheader"`, table('gpus', ['index', 'name'], false)],
  ['/usr/bin/nvidia-smi -i 0 --query-gpu=index --format=csv 2>&1', table('gpus', ['index'])],
  [
    'nvidia-smi --id=0,1 --query-gpu=index --format=csv | grep noheader --format=csv,noheader',
    table('gpus', ['index']),
  ],
  ['nvidia-smi --query-gpu=index --format=csv; echo done', table('gpus', ['index'])],
  [
    String.raw`"C:\Program Files\NVIDIA Corporation\NVSMI\nvidia-smi.exe" --query-gpu=index --format=csv`,
    table('gpus', ['index']),
  ],
  ['timeout -k 2 20 nvidia-smi --query-gpu=index --format=csv', table('gpus', ['index'])],
  ["ssh box 'nvidia-smi --query-gpu=index --format=csv'", table('gpus', ['index'])],
  ['nvidia-smi --query-gpu=index --format=csv -l 5', table('gpus', ['index'], true, true)],
  [
    'nvidia-smi --query-gpu=index --format=csv -lms 1000 (stopped after 5 samples)',
    table('gpus', ['index'], true, true),
  ],
  ['nvidia-smi --query-gpu=index --format=csv -lms100', table('gpus', ['index'], true, true)],
  ['nvidia-smi --query-gpu=index --format=csv --loop-ms=100', table('gpus', ['index'], true, true)],
  [
    'nvidia-smi --query-compute-apps=pid,name,used_memory --format=csv',
    table('apps', ['pid', 'process_name', 'used_gpu_memory']),
  ],
  ['nvidia-smi -L', { kind: 'list' }],
  ['nvidia-smi --list-gpus 2>/dev/null', { kind: 'list' }],
  ['nvidia-smi -q -x', { kind: 'xml' }],
  ['nvidia-smi -x -q -d MEMORY (excerpt)', { kind: 'xml' }],
  ['nvidia-smi --query --xml-format', { kind: 'xml' }],
  ['nvidia-smi', { kind: 'other' }],
  ['nvidia-smi -q', { kind: 'other' }],
  ['nvidia-smi --query-accounted-apps=pid,time --format=csv', { kind: 'other' }],
  ['nvidia-smi --query-gpu', table('gpus', [])],
  ['rocm-smi --json', null],
  ['', null],
])('%s', (commandLine, form) => {
  expect(parseInvocation(commandLine)).toEqual(form);
});
