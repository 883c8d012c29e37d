import { expect, test } from 'vitest';
import { UNDISTURBED, createPattern } from './pattern.ts';

const HOUR_MS = 3_600_000;
const options = { seed: 7, meanMs: HOUR_MS, offMs: 60_000 };

const firstOf = (device: number, seed = 7) => {
  const pattern = createPattern({ ...options, seed }, device);
  return Array.from({ length: 200 }, () => pattern.next());
};

test('a seed and a device have one pattern, others have another', () => {
  expect(firstOf(3)).toEqual(firstOf(3));
  expect(firstOf(4)).not.toEqual(firstOf(3));
  expect(firstOf(3, 8)).not.toEqual(firstOf(3));
});

test('every kind of disturbance happens, as often as asked for', () => {
  const events = Array.from({ length: 50 }, (_, device) => firstOf(device)).flat();
  expect(new Set(events.map(({ disturbance }) => disturbance.kind))).toEqual(
    new Set(['line_cut', 'reboot', 'body_cut', 'answer_lost', 'clock']),
  );
  const meanMs = events.reduce((sum, { afterMs }) => sum + afterMs, 0) / events.length;
  expect(meanMs / HOUR_MS).toBeGreaterThan(0.95);
  expect(meanMs / HOUR_MS).toBeLessThan(1.05);
});

test('some devices have a wrong clock, and some come back after a day', () => {
  const patterns = Array.from({ length: 4_000 }, (_, device) => createPattern(options, device));
  const wrong = patterns.filter(({ clockOffsetMs }) => clockOffsetMs !== 0).length;
  const late = patterns.filter(({ offlineMs }) => offlineMs === 24 * HOUR_MS).length;
  expect(wrong).toBeGreaterThan(60);
  expect(wrong).toBeLessThan(200);
  expect(late).toBeGreaterThan(5);
  expect(late).toBeLessThan(60);
});

test('nothing happens to an undisturbed device', () => {
  expect(UNDISTURBED).toMatchObject({ clockOffsetMs: 0, offlineMs: 0 });
  expect(UNDISTURBED.next().afterMs).toBe(Number.POSITIVE_INFINITY);
});
