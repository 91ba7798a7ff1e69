import { afterEach, beforeEach, expect, it } from 'vitest';
import { createFleet, type Fleet } from '../../../src/control/fleet';
import type { HostService } from '../../../src/control/hostSession';
import { hostSpec } from '../../../src/core/host/hostSpec';
import { createFakeClock, FakeHost, settle, type FakeClock } from './fakeWorld';

const box = hostSpec('box');
const silent = { info: () => undefined, warn: () => undefined, error: () => undefined };

let clock: FakeClock;
let host: FakeHost;
let fleet: Fleet;
let told: string[];

beforeEach(() => {
  clock = createFakeClock();
  host = new FakeHost(clock);
  told = [];
  const service: HostService = {
    attach(spec) {
      told.push(`attached to ${spec.id}`);
      return { dispose: () => void told.push('detached') };
    },
    forget: id => void told.push(`forgot ${id}`),
  };
  fleet = createFleet({ connector: host, clock, log: silent, watchScript: () => 'true', services: [service] });
});

afterEach(() => fleet.dispose());

it('works on a host from when its link is up until it is down, and again over the next one', async () => {
  await fleet.connect(box, null);
  expect(told).toEqual(['attached to box']);
  host.loseLink();
  expect(told.splice(0)).toEqual(['attached to box', 'detached']);
  await clock.advance(60_000);
  expect(fleet.store.state.hosts.get('box')?.connection.kind).toBe('ready');
  expect(told.splice(0)).toEqual(['attached to box']);
  fleet.disconnect('box');
  expect(told.splice(0)).toEqual(['detached']);
});

it('is not given a host on which no job can run', async () => {
  host.system = 'Darwin';
  await fleet.connect(box, null);
  await settle();
  expect(told).toEqual([]);
});

it('is told when a host is forgotten', async () => {
  await fleet.connect(box, null);
  fleet.forget('box');
  expect(told).toEqual(['attached to box', 'detached', 'forgot box']);
});
