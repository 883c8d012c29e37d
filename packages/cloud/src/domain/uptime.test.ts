import { expect, test } from 'vitest';
import { percentOf, uptimeOf } from './uptime.ts';

const span = (fromMs: number, toMs: number) => ({ fromMs, toMs });

test('only the time since pairing counts, and only while somebody listened', () => {
  const uptime = uptimeOf(
    span(0, 1000),
    200,
    [span(0, 500), span(700, 2000)],
    [span(100, 300), span(400, 800)],
  );
  expect(uptime).toEqual({ observedMs: 300 + 300, onlineMs: 100 + 100 + 100 });
  expect(percentOf(uptime)).toBe(50);
});

test('what nobody observed has no uptime, neither good nor bad', () => {
  const uptime = uptimeOf(span(0, 1000), 0, [], [span(0, 1000)]);
  expect(uptime).toEqual({ observedMs: 0, onlineMs: 0 });
  expect(percentOf(uptime)).toBeNull();
});

test('a device paired after the range was not observed in it', () => {
  expect(uptimeOf(span(0, 1000), 5000, [span(0, 9000)], []).observedMs).toBe(0);
});
