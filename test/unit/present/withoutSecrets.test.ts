import { describe, expect, it } from 'vitest';
import { withoutSecrets } from '../../../src/core/present/withoutSecrets';

describe('a command that is shown', () => {
  it.each([
    ['HF_TOKEN=hf_a1 WANDB_API_KEY="w 1" python train.py', 'HF_TOKEN=… WANDB_API_KEY=… python train.py'],
    ["export AWS_SECRET_ACCESS_KEY='a;b'; make", 'export AWS_SECRET_ACCESS_KEY=…; make'],
    ['PGPASSWORD=x\\ y psql', 'PGPASSWORD=… psql'],
    ['python t.py --hf-token abc --api-key=def --lr 1', 'python t.py --hf-token … --api-key=… --lr 1'],
    ['token=ab"c d"e', 'token=…'],
    ['pip install git+https://me:ghp_1@host/x', 'pip install git+https://me:…@host/x'],
    ['curl -H "Authorization: Bearer abc.def" x', 'curl -H "Authorization: Bearer …" x'],
  ])('holds no secret: %s', (command, shown) => expect(withoutSecrets(command)).toBe(shown));

  it.each([
    'python train.py --max-tokens 4096 --tokenizer llama MAX_TOKENS=8',
    'HF_TOKEN=$HF_TOKEN OTHER_TOKEN="$(cat token)" run',
    'cat secret file; echo password reset',
    'rsync user@host:/data .',
  ])('is left as it is where it holds none: %s', command => expect(withoutSecrets(command)).toBe(command));

  it('is read in no time, however long', () => {
    const startedAt = performance.now();
    withoutSecrets(`${'a-'.repeat(20_000)} ${'x_token'.repeat(5_000)} ${'://:'.repeat(10_000)}`);
    expect(performance.now() - startedAt).toBeLessThan(1_000);
  });
});
