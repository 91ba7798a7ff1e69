import { describe, expect, it } from 'vitest';
import {
  formatAge,
  formatCelsius,
  formatDuration,
  formatGiB,
  formatGiBOf,
  formatGiBPair,
  formatPercent,
  formatWatts,
  formatWattsPair,
  joinParts,
} from '../../../src/core/present/format';

const gib = 2 ** 30;
const mib = 2 ** 20;

describe('memory', () => {
  it('is shown in GiB with one decimal', () => {
    expect(formatGiB(40_755 * mib)).toBe('39.8 GiB');
    expect(formatGiB(95 * gib)).toBe('95.0 GiB');
  });
  it('tells nothing, next to nothing and not available apart', () => {
    expect(formatGiB(0)).toBe('0 GiB');
    expect(formatGiB(4 * mib)).toBe('<0.1 GiB');
    expect(formatGiB(null)).toBe('n/a');
    expect(formatGiB(Number.NaN)).toBe('n/a');
  });
  it('pairs what is used with what there is', () => {
    expect(formatGiBPair(40_755 * mib, 97_887 * mib)).toBe('39.8/95.6 GiB');
    expect(formatGiBPair(0, 97_887 * mib)).toBe('0/95.6 GiB');
    expect(formatGiBPair(null, 97_887 * mib)).toBe('n/a of 95.6 GiB');
    expect(formatGiBPair(gib, null)).toBe('1.0 GiB');
    expect(formatGiBPair(null, null)).toBe('n/a');
  });
  it('is whole where a tenth says nothing', () => {
    expect(formatGiBOf(401.7 * gib, 432.2 * gib)).toBe('401 of 432 GiB');
    expect(formatGiBOf(8.25 * gib, 16 * gib)).toBe('8.3 of 16.0 GiB');
    expect(formatGiBOf(null, 16 * gib)).toBe('n/a of 16.0 GiB');
    expect(formatGiBOf(8 * gib, null)).toBe('8.0 GiB');
  });
});

describe('power, utilisation, temperature', () => {
  it('are whole numbers with their unit', () => {
    expect(formatWatts(411.6)).toBe('412 W');
    expect(formatWattsPair(411.6, 600)).toBe('412/600 W');
    expect(formatWattsPair(411.6, null)).toBe('412 W');
    expect(formatWattsPair(null, 600)).toBe('n/a of 600 W');
    expect(formatPercent(0)).toBe('0 %');
    expect(formatCelsius(61)).toBe('61 °C');
  });
  it('say when they are not available', () => {
    expect([formatWatts(null), formatPercent(null), formatCelsius(null)]).toEqual(['n/a', 'n/a', 'n/a']);
  });
  it('are joined without what is missing', () => {
    expect(joinParts(['412 W', 'n/a', null, '', '98 %'])).toBe('412 W · 98 %');
  });
});

describe('time', () => {
  it.each([
    [0, '0 s'],
    [999, '0 s'],
    [59_999, '59 s'],
    [60_000, '1 min'],
    [586_000, '9 min 46 s'],
    [7_500_000, '2 h 5 min'],
    [273_600_000, '3 d 4 h'],
    [-5, '0 s'],
  ])('%i ms lasts %s', (ms, text) => {
    expect(formatDuration(ms)).toBe(text);
  });
  it.each([
    [1500, '1 s ago'],
    [150_000, '2 min ago'],
    [10_900_000, '3 h ago'],
    [200_000_000, '2 d ago'],
  ])('%i ms is %s', (ms, text) => {
    expect(formatAge(ms)).toBe(text);
  });
});
