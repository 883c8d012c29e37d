import { expect, it } from 'vitest';
import { createOpeningPatience } from './opening-patience.ts';

it('waits half a minute for a first page, and twice as long at each further try, up to four minutes', () => {
  const patience = createOpeningPatience();
  const tries = Array.from({ length: 5 }, () => patience.next());
  expect(tries).toEqual([30_000, 60_000, 120_000, 240_000, 240_000]);
});

it.each([
  [100, 3_000],
  [2_000, 10_000],
  [9_000, 45_000],
  [100_000, 240_000],
])('waits once for a page that opened before in %d ms no longer than %d ms', (tookMs, patienceMs) => {
  const patience = createOpeningPatience();
  patience.next();
  patience.opened(tookMs);
  expect(patience.next()).toBe(patienceMs);
  expect(patience.next()).toBe(Math.max(30_000, Math.min(240_000, 2 * patienceMs)));
});
