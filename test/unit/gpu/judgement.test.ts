import { expect, test } from 'vitest';
import { isFree } from '../../../src/core/gpu/free';
import { gpuKey } from '../../../src/core/gpu/gpuKey';
import type { GpuProcess } from '../../../src/core/gpu/reading';
import { isDrawingLittle } from '../../../src/core/gpu/underUsed';
import { blankGpu, mib } from './check';

const process = (name: string | null): GpuProcess => ({ gpu: 'GPU-1', pid: 7, name, memoryBytes: mib(50) });

test.each([
  ['idle', { memoryUsedBytes: mib(4), utilization: 0 }, [], true],
  ['idle, processes not asked', { memoryUsedBytes: mib(4), utilization: 0 }, null, true],
  [
    'a desktop',
    { memoryUsedBytes: mib(600), utilization: 7 },
    [process('/usr/lib/xorg/Xorg'), process('/usr/bin/gnome-shell')],
    true,
  ],
  ['a desktop whose list is hidden', { memoryUsedBytes: mib(600), utilization: 2 }, [], true],
  ['a job that has just started', { memoryUsedBytes: mib(300), utilization: 0 }, [process('python')], false],
  ['a process without a name', { memoryUsedBytes: mib(300), utilization: 0 }, [process(null)], false],
  ['a full card between two steps', { memoryUsedBytes: mib(19_676), utilization: 0 }, [], false],
  ['busy, and no process to be seen, as in a container', { memoryUsedBytes: mib(500), utilization: 100 }, [], false],
  ['lost', { fault: 'lost', memoryUsedBytes: 0, utilization: 0 }, [], false],
  ['waiting for a reset', { fault: 'requiresReset', memoryUsedBytes: 0 }, [], false],
  ['split by MIG', { migEnabled: true, memoryUsedBytes: mib(50), utilization: null }, [], false],
  ['no measure at all', {}, [], false],
  ['unified memory, idle', { memoryUsedBytes: null, utilization: 0 }, [], true],
  ['unified memory, a job', { memoryUsedBytes: null, utilization: 0 }, [process('python')], false],
  ['unified memory, busy', { memoryUsedBytes: null, utilization: 90 }, [], false],
  ['no utilisation on this card', { memoryUsedBytes: mib(3), utilization: null }, [], true],
] as const)('%s: free is %4$s', (_, reading, processes, free) => {
  expect(isFree({ ...blankGpu, ...reading }, processes)).toBe(free);
});

test.each([
  ['the story: 250 of 600 W at 100 %', { utilization: 100, powerWatts: 250, powerLimitWatts: 600 }, true],
  ['the story: 412 of 600 W', { utilization: 100, powerWatts: 412, powerLimitWatts: 600 }, false],
  ['at the mark', { utilization: 100, powerWatts: 360, powerLimitWatts: 600 }, false],
  ['not always busy', { utilization: 94, powerWatts: 100, powerLimitWatts: 600 }, false],
  ['idle', { utilization: 0, powerWatts: 14, powerLimitWatts: 600 }, false],
  ['no power', { utilization: 100, powerWatts: null, powerLimitWatts: 600 }, false],
  ['no limit', { utilization: 100, powerWatts: 20, powerLimitWatts: null }, false],
  ['no utilisation', { utilization: null, powerWatts: 20, powerLimitWatts: 600 }, false],
  ['faulty', { fault: 'lost', utilization: 100, powerWatts: 20, powerLimitWatts: 600 }, false],
] as const)('%s: drawing little is %3$s', (_, reading, little) => {
  expect(isDrawingLittle({ ...blankGpu, ...reading })).toBe(little);
});

test('a device is known by its uuid, else by its index', () => {
  expect(gpuKey({ ...blankGpu, uuid: 'GPU-1' })).toBe('GPU-1');
  expect(gpuKey({ ...blankGpu, index: 12 })).toBe('12');
});
