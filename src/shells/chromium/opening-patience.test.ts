import { expect, it } from 'vitest';
import { createOpeningPatience } from './opening-patience.ts';

it('waits half a minute for a first page', () => {
  const patience = createOpeningPatience();
  expect([patience.next(), patience.next()]).toEqual([30_000, 30_000]);
});

it.each([
  [100, 3_000],
  [2_000, 10_000],
  [9_000, 30_000],
])('waits once for a page that opened before in %d ms no longer than %d ms', (tookMs, patienceMs) => {
  const patience = createOpeningPatience();
  patience.next();
  patience.opened(tookMs);
  expect([patience.next(), patience.next()]).toEqual([patienceMs, 30_000]);
});
