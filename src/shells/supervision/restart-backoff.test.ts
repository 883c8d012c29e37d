import { expect, test } from 'vitest';
import { createRestartBackoff } from './restart-backoff.ts';

test('restarts a process that never becomes ready at once, then more and more slowly, at most every 15 s', () => {
  const backoff = createRestartBackoff({ maxDelayAfterReadyMs: 1_000 });
  const delays = Array.from({ length: 8 }, () => backoff.nextDelayMs({ uptimeMs: 10, wasReady: false }));
  expect(delays).toEqual([0, 500, 1_000, 2_000, 5_000, 15_000, 15_000, 15_000]);
});

test('limits the delay of a process that was ready, however often it is killed', () => {
  const backoff = createRestartBackoff({ maxDelayAfterReadyMs: 1_000 });
  const delays = Array.from({ length: 7 }, () => backoff.nextDelayMs({ uptimeMs: 3_000, wasReady: true }));
  expect(delays).toEqual([0, 500, 1_000, 1_000, 1_000, 1_000, 1_000]);
});

test('forgets old crashes after ten stable seconds', () => {
  const backoff = createRestartBackoff({ maxDelayAfterReadyMs: 1_000 });
  for (let i = 0; i < 5; i++) {
    backoff.nextDelayMs({ uptimeMs: 10, wasReady: true });
  }
  expect(backoff.nextDelayMs({ uptimeMs: 10_000, wasReady: true })).toBe(0);
});

test('does not treat one failed start among many crashes as a process that never becomes ready', () => {
  const backoff = createRestartBackoff({ maxDelayAfterReadyMs: 1_000 });
  for (let i = 0; i < 20; i++) {
    backoff.nextDelayMs({ uptimeMs: 2_000, wasReady: true });
  }
  expect(backoff.nextDelayMs({ uptimeMs: 5_000, wasReady: false })).toBe(0);
  expect(backoff.nextDelayMs({ uptimeMs: 5_000, wasReady: false })).toBe(500);
  backoff.nextDelayMs({ uptimeMs: 2_000, wasReady: true });
  expect(backoff.nextDelayMs({ uptimeMs: 5_000, wasReady: false })).toBe(0);
});
