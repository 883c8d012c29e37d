import { array, assert, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import { createRateLimiter, SlidingWindow } from './rate-limiter.ts';

test('any window contains at most the allowed number of requests, and none is refused below it', () => {
  assert(
    property(
      integer({ min: 1, max: 6 }),
      array(integer({ min: 0, max: 40 }), { maxLength: 80 }),
      (limit, gaps) => {
        const window = new SlidingWindow(limit, 100);
        const passed: number[] = [];
        let nowMs = 0;
        for (const gap of gaps) {
          nowMs += gap;
          const within = passed.filter((atMs) => atMs > nowMs - 100).length;
          const answer = window.take(nowMs);
          expect(answer.allowed).toBe(within < limit);
          if (answer.allowed) {
            passed.push(nowMs);
          }
          expect(answer.remaining).toBe(limit - Math.min(limit, within + (answer.allowed ? 1 : 0)));
        }
      },
    ),
  );
});

test('a refused caller gets the time to retry and is accepted then', () => {
  const window = new SlidingWindow(2, 60_000);
  window.take(0);
  window.take(30_500);
  expect(window.take(31_000)).toMatchObject({ allowed: false, resetSeconds: 29 });
  expect(window.take(59_999).allowed).toBe(false);
  expect(window.take(60_000).allowed).toBe(true);
});

test('a clock that is set back neither extends nor shortens the wait', () => {
  const hourMs = 3_600_000;
  const window = new SlidingWindow(2, 60_000);
  window.take(hourMs);
  window.take(hourMs + 20_000);
  expect(window.take(20_000)).toMatchObject({ allowed: false, resetSeconds: 40 });
  expect(window.take(59_999).allowed).toBe(false);
  expect(window.take(60_000).allowed).toBe(true);
  expect(window.take(79_999).allowed).toBe(false);
  expect(window.take(80_000).allowed).toBe(true);
});

test('callers are counted separately, and the least recently seen are dropped beyond the maximum', () => {
  const limiter = createRateLimiter(60_000, 100);
  for (let i = 0; i < 20_000; i++) {
    expect(limiter.take(`caller ${i}`, 1, i).allowed).toBe(true);
    expect(limiter.take('busy', 100_000, i).remaining).toBe(100_000 - i - 1);
  }
  expect(limiter.take('caller 19999', 1, 20_000).allowed).toBe(false);
  expect(limiter.take('caller 1', 1, 20_000).allowed, 'dropped').toBe(true);
});

test('callers whose window is empty are dropped', () => {
  const limiter = createRateLimiter(60_000);
  for (let i = 0; i < 10_000; i++) {
    limiter.take(`caller ${i}`, 1, i * 100);
  }
  // Only callers of the last two minutes remain.
  expect(limiter.size).toBeLessThanOrEqual(1200);
  expect(limiter.take('caller 9999', 1, 1_000_000).allowed).toBe(false);
});

test('a busy caller is counted exactly while callers are forgotten, and when the clock is set back', () => {
  const limiter = createRateLimiter(60_000);
  let allowed = 0;
  for (let ms = 0; ms < 600_000; ms += 1000) {
    allowed += limiter.take('busy', 10, ms).allowed ? 1 : 0;
    limiter.take(`caller ${ms}`, 1, ms);
  }
  expect(allowed).toBe(100);
  expect(limiter.take('busy', 10, 599_500 - 3_600_000).allowed).toBe(false);
  expect(limiter.take('caller 599000', 1, 599_500 - 3_600_000).allowed).toBe(false);
});

test('peek is not counted', () => {
  const limiter = createRateLimiter(60_000);
  expect(limiter.peek('a', 1, 0)).toMatchObject({ allowed: true, remaining: 1 });
  expect(limiter.take('a', 1, 0).allowed).toBe(true);
  expect(limiter.peek('a', 1, 1000)).toMatchObject({ allowed: false, remaining: 0, resetSeconds: 59 });
  expect(limiter.peek('a', 1, 60_000).allowed).toBe(true);
});
