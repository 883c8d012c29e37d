import { array, assert, integer, nat, property, tuple } from 'fast-check';
import { expect, test } from 'vitest';
import { createUptimeCounter, createObservedDuration, uptimePercent } from './uptime.ts';
import type { TimeSpan } from './uptime.ts';

const span = (fromMs: number, toMs: number) => ({ fromMs, toMs });

function uptimeOf(
  within: TimeSpan,
  pairedAtMs: number,
  observed: readonly TimeSpan[],
  online: readonly TimeSpan[],
) {
  const uptime = createUptimeCounter(pairedAtMs, createObservedDuration(within, observed));
  for (const each of online) {
    uptime.add(each);
  }
  return uptime.sum();
}

test('only the time since pairing counts, and only while the cloud was running', () => {
  const uptime = uptimeOf(
    span(0, 1000),
    200,
    [span(0, 500), span(700, 2000)],
    [span(100, 300), span(400, 800)],
  );
  expect(uptime).toEqual({ observedMs: 300 + 300, onlineMs: 100 + 100 + 100 });
  expect(uptimePercent(uptime)).toBe(50);
});

test('without observed time the uptime is unknown', () => {
  const uptime = uptimeOf(span(0, 1000), 0, [], [span(0, 1000)]);
  expect(uptime).toEqual({ observedMs: 0, onlineMs: 0 });
  expect(uptimePercent(uptime)).toBeNull();
});

test('a device paired after the range has no observed time in it', () => {
  expect(uptimeOf(span(0, 1000), 5000, [span(0, 9000)], []).observedMs).toBe(0);
});

test('unordered and overlapping observed spans count each moment once', () => {
  const spans = array(tuple(nat(60), integer({ min: 1, max: 20 })).map(([at, ms]) => span(at, at + ms)));
  const oneAfterTheOther = array(tuple(nat(9), nat(20))).map((steps) => {
    let atMs = 0;
    return steps.map(([pause, ms]) => span((atMs += pause), (atMs += ms)));
  });
  assert(
    property(spans, oneAfterTheOther, nat(40), (observed, online, pairedMs) => {
      const moments = Array.from({ length: 100 }, (_, ms) => ms).filter((ms) => ms >= Math.max(10, pairedMs));
      const watched = moments.filter((ms) => ms < 70 && observed.some((o) => ms >= o.fromMs && ms < o.toMs));
      const seen = watched.filter((ms) => online.some((o) => ms >= o.fromMs && ms < o.toMs));
      expect(uptimeOf(span(10, 70), pairedMs, observed, online)).toEqual({
        observedMs: watched.length,
        onlineMs: seen.length,
      });
    }),
  );
});

test('overlapping online spans are not counted twice', () => {
  const online = [span(100, 300), span(100, 300), span(200, 500)];
  expect(uptimeOf(span(0, 1000), 0, [span(0, 1000)], online).onlineMs).toBe(400);
});

test('ten thousand observed and online spans are processed in linear time', () => {
  const spans = Array.from({ length: 10_000 }, (_, i) => span(i * 10, i * 10 + 9));
  const startedUs = process.threadCpuUsage().user;
  expect(uptimeOf(span(0, 100_000), 0, spans, spans)).toEqual({ observedMs: 90_000, onlineMs: 90_000 });
  expect((process.threadCpuUsage().user - startedUs) / 1000, 'ms').toBeLessThan(500);
});
