import { expect, test } from 'vitest';
import { createPageLoadTimeout } from './page-load-timeout.ts';

test('waits 30 s for a first page, and twice as long at each further attempt, up to four minutes', () => {
  const timeout = createPageLoadTimeout();
  const timeoutsMs = Array.from({ length: 5 }, () => timeout.nextMs());
  expect(timeoutsMs).toEqual([30_000, 60_000, 120_000, 240_000, 240_000]);
});

test.each([
  [100, 3_000],
  [2_000, 10_000],
  [9_000, 45_000],
  [100_000, 240_000],
])('after a page that loaded in %d ms waits once for no longer than %d ms', (loadTimeMs, timeoutMs) => {
  const timeout = createPageLoadTimeout();
  timeout.nextMs();
  timeout.recordLoadTime(loadTimeMs);
  expect(timeout.nextMs()).toBe(timeoutMs);
  expect(timeout.nextMs()).toBe(Math.max(30_000, Math.min(240_000, 2 * timeoutMs)));
});
