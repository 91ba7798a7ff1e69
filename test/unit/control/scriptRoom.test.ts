import { beforeEach, expect, it } from 'vitest';
import type { Connection, RunResult } from '../../../src/control/ports';
import { withScriptRoom, type ScriptRoom } from '../../../src/control/scriptRoom';
import { createFakeClock, settle, type FakeClock } from './fakeWorld';

const done: RunResult = { kind: 'exited', code: 0, stdout: '', stderr: '' };

let clock: FakeClock;
let room: ScriptRoom;
let followed: number;
let began: number;
let finish: () => void;

beforeEach(() => {
  clock = createFakeClock();
  [followed, began] = [0, 0];
  const connection: Connection = {
    onClosed: () => ({ dispose: () => undefined }),
    run: () => new Promise(resolve => (finish = () => resolve(done))),
    openStream: () => new Promise(() => undefined),
    dispose: () => undefined,
  };
  room = withScriptRoom(connection, clock, () => {
    followed += 1;
    began += 1;
    return { dispose: () => void (followed -= 1) };
  });
});

const run = (): Promise<RunResult> => room.connection.run('true', { deadlineMs: 60_000 });

it('leaves the logs alone as long as scripts are quick', async () => {
  room.follow(false);
  const ran = run();
  await clock.advance(3_000);
  finish();
  expect(await ran).toBe(done);
  await clock.advance(60_000);
  expect([followed, began]).toEqual([1, 1]);
  expect(clock.pending).toBe(0);
});

it('gives the channel of the logs to a script that waits, and back when scripts have rested', async () => {
  room.follow(false);
  const ran = run();
  await clock.advance(4_000);
  expect(followed).toBe(0);
  finish();
  await ran;
  await clock.advance(999);
  const next = run();
  await settle();
  finish();
  await next;
  await clock.advance(999);
  expect(followed).toBe(0);
  await clock.advance(1);
  expect(followed).toBe(1);
});

it('makes room from the start once that was needed', async () => {
  room.follow(false);
  const ran = run();
  await clock.advance(4_000);
  finish();
  await ran;
  await clock.advance(1_000);
  expect(followed).toBe(1);
  const next = run();
  expect(followed).toBe(0);
  room.follow(false);
  expect(followed).toBe(0);
  finish();
  await next;
});

it('takes the channel again when other logs are to be followed, and leaves nothing behind', async () => {
  room.follow(true);
  room.follow(true);
  expect([followed, began]).toEqual([1, 2]);
  room.dispose();
  room.follow(false);
  await clock.advance(10_000);
  expect(followed).toBe(0);
});
