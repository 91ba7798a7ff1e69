import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { createJobRig, shells, type JobRig } from './rig';

let rig: JobRig;
afterEach(() => rig.dispose());

describe.each(shells)('in %s', shell => {
  it('a job is launched, runs, and is found with its outcome and its log', async () => {
    rig = await createJobRig({ shell });
    const order = rig.order({ run: 'echo hello\nexit 7' });
    const launched = await rig.launch(order);
    expect(launched).toMatchObject({ kind: 'launched', attempt: { id: order.id, host: 'box' } });
    const attempt = await rig.attemptWhen('it has ended', order.id, ({ status }) => status.kind === 'finished');
    expect(attempt.status).toMatchObject({ ended: { exitCode: 7 }, outcome: { kind: 'failed', exitCode: 7 } });
    expect(readFileSync(join(attempt.folder, 'log'), 'utf8')).toBe('hello\n');
  });
});
