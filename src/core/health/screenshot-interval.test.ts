import { expect, test } from 'vitest';
import { pictureDue } from './screenshot-interval.ts';

const START_MS = Date.UTC(2026, 10, 20, 12);
const MINUTE_MS = 60_000;

/** The times of the next pictures. */
function timesOf(minutes: number, count: number, deviceId = 'dev_1'): number[] {
  const times: number[] = [];
  for (let wallMs = START_MS; times.length < count;) {
    wallMs = Math.ceil(pictureDue(deviceId, minutes, wallMs).nextMs);
    times.push(wallMs);
  }
  return times;
}

test('each picture has a number and a time of its own, about an interval after the one before', () => {
  for (const minutes of [5, 7, 60, 1440]) {
    const times = timesOf(minutes, 50);
    const first = pictureDue('dev_1', minutes, times[0]!).number;
    for (const [index, ms] of times.entries()) {
      expect(pictureDue('dev_1', minutes, ms).number).toBe(first + index);
      expect(pictureDue('dev_1', minutes, ms - 1).number).toBe(first + index - 1);
    }
    const gaps = times.slice(1).map((ms, index) => (ms - times[index]!) / (minutes * MINUTE_MS));
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(0.75);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(1.25);
    expect(new Set(times.map((ms) => ms % (minutes * MINUTE_MS))).size).toBeGreaterThan(40);
  }
});

test('pictures of a loop that fits into the interval show different moments of it', () => {
  for (const loopSeconds of [10, 15, 20, 30, 60]) {
    const quarters = timesOf(5, 20).map((ms) => Math.floor(((ms / 1000) % loopSeconds) / (loopSeconds / 4)));
    expect(new Set(quarters), `${loopSeconds} s`).toEqual(new Set([0, 1, 2, 3]));
  }
});

test('devices are spread over the interval', () => {
  const next = Array.from({ length: 400 }, (_, index) => timesOf(60, 1, `dev_${index}`)[0]! - START_MS);
  const quarters = Map.groupBy(next, (ms) => Math.floor(ms / (15 * MINUTE_MS)));
  for (const quarter of [0, 1, 2, 3]) {
    expect(quarters.get(quarter)?.length).toBeGreaterThan(60);
  }
});
