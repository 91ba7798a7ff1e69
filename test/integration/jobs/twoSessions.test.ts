import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { fromStart } from '../../../src/core/job/log/logPoint';
import { until } from '../../support/processes';
import { markedPids } from '../job/rig';
import { box, logOf, startJobHost, untilFile, type JobHost } from './rig';

let host: JobHost;

beforeAll(async () => {
  host = await startJobHost({ maxSessions: 2 });
});

afterEach(() => host.clear());

afterAll(() => host.dispose());

it('a server that allows two sessions is enough: jobs are launched, followed, told of and stopped', async () => {
  const window = await host.window();
  await window.connect();
  const go = join(host.work, 'go');
  const id = await window.launched({
    run: `i=0; while [ ! -e ${go} ]; do echo $((i+=1)); sleep 0.01; done; echo over`,
  });
  const heard: Buffer[] = [];
  window.jobs.followLog(box.id, id, fromStart, event => {
    if (event.kind === 'bytes') heard.push(Buffer.from(event.bytes));
  });
  await until('its log comes', () => heard.length > 0, 10_000);
  const other = await window.launched({ name: 'other', run: `sleep 1000; ${untilFile(go)}` });
  await window.jobs.stop(box.id, other, { by: 'me', reason: '', consent: null, onProgress: () => undefined });
  expect(markedPids(other)).toEqual([]);
  await until('that it was stopped is told', () => window.endings.length === 1, 30_000);
  writeFileSync(go, '');
  await until('the end of the first is told', () => window.endings.length === 2, 30_000);
  const one = await window.attemptWhen('it is over', id, ({ attempt }) => attempt.status.kind === 'finished');
  await until('its log is complete', () => Buffer.concat(heard).equals(readFileSync(logOf(one))), 15_000);
});
