import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { launchAttempt } from '../../../src/control/launch';
import type { Connection } from '../../../src/control/ports';
import { reconcile } from '../../../src/control/reconcile';
import { jobScripts } from '../../../src/hosts/jobScripts';
import { until } from '../../support/processes';
import { startSshd, type Sshd } from '../../support/sshd';
import { ensureTestUser, type TestUserName } from '../../support/users';
import { createRig, makeKey, type Rig } from '../ssh/rig';
import { createJobRig, markedPids, removeTemporary, type JobRig } from './rig';

let keys: string;
let sshd: Sshd;
const users: readonly TestUserName[] = ['hr-alice', 'hr-fish', 'hr-tcsh'];
const rigs: Rig[] = [];
let jobs: JobRig;

beforeAll(async () => {
  keys = mkdtempSync(join(tmpdir(), 'hr-keys-'));
  for (const user of users) await ensureTestUser(user);
  const key = await makeKey(join(keys, 'id'));
  sshd = await startSshd({ authorizedKeys: Object.fromEntries(users.map(user => [user, [key]])) });
});

afterEach(async () => {
  rigs.splice(0).forEach(rig => rig.dispose());
  await jobs.dispose();
});

afterAll(async () => {
  await sshd.dispose();
  rmSync(keys, { recursive: true, force: true });
  removeTemporary();
});

async function connected(user: TestUserName): Promise<Connection> {
  const config = [`IdentityFile ${join(keys, 'id')}`, 'StrictHostKeyChecking accept-new'];
  const rig = await createRig({ port: sshd.port, user, config });
  rigs.push(rig);
  return rig.connected();
}

it.each(users)('the job of %s outlives the connection, and is found over the next one', async name => {
  jobs = await createJobRig();
  const order = jobs.order({
    run: 'while [ ! -e /tmp/$HEADROOM_ATTEMPT.go ]; do sleep 0.1; done; echo done',
    cwd: '/tmp',
  });
  const first = await connected(name);
  const shared = { host: 'box', scripts: jobScripts, place: { state: `~/state-${order.id}`, logs: null } };
  const launched = await launchAttempt({ ...shared, connection: first, order });
  expect(launched).toMatchObject({ kind: 'launched', attempt: { status: { kind: 'running' } } });
  expect(markedPids(order.id).length).toBeGreaterThan(0);

  sshd.killSessions();
  const second = await connected(name);
  const find = async () => {
    const result = await reconcile({ ...shared, connection: second });
    return result.kind === 'listed' ? result.attempts[0] : undefined;
  };
  expect(await find()).toMatchObject({ id: order.id, status: { kind: 'running' } });
  await second.run(`: >/tmp/${order.id}.go`, { deadlineMs: 10_000 });
  const attempt = await until('it has ended', async () => {
    const found = await find();
    return found?.status.kind === 'finished' ? found : null;
  });
  expect(attempt.status).toMatchObject({ outcome: { kind: 'succeeded' } });
  expect(readFileSync(join(attempt.folder, 'log'), 'utf8')).toBe('done\n');
  await second.run(`rm -rf ~/state-${order.id} /tmp/${order.id}.go`, { deadlineMs: 10_000 });
});
