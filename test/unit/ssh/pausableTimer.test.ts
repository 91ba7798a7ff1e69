import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { startPausableTimer } from '../../../src/hosts/ssh/pausableTimer';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test('time in a question does not count, nor does one inside another', async () => {
  const passed = vi.fn();
  const timer = startPausableTimer(1_000, passed);
  await vi.advanceTimersByTimeAsync(400);
  const pause = (ms: number) => timer.whilePaused(() => new Promise<void>(done => setTimeout(done, ms)));
  const both = Promise.all([pause(5_000), pause(7_000)]);
  await vi.advanceTimersByTimeAsync(7_000);
  await both;
  await vi.advanceTimersByTimeAsync(599);
  expect(passed).not.toHaveBeenCalled();
  await vi.advanceTimersByTimeAsync(1);
  expect(passed).toHaveBeenCalledOnce();
});

test('stopped, also in a question: it never passes', async () => {
  const passed = vi.fn();
  const timer = startPausableTimer(1_000, passed);
  const asked = timer.whilePaused(() => Promise.resolve());
  timer.stop();
  await asked;
  await vi.advanceTimersByTimeAsync(10_000);
  expect(passed).not.toHaveBeenCalled();
});
