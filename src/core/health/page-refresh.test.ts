import { expect, test } from 'vitest';
import { msUntilPageRefresh } from './page-refresh.ts';

const MIDNIGHT = Date.UTC(2026, 10, 20);
const ids = Array.from({ length: 200 }, (_, index) => `dev_${index}`);
const minutes = ids.map((id) => msUntilPageRefresh(id, 'UTC', MIDNIGHT) / 60_000);

test('devices refresh evenly spread between 03:00 and 04:30', () => {
  expect(Math.min(...minutes)).toBeGreaterThanOrEqual(180);
  expect(Math.max(...minutes)).toBeLessThan(270);
  expect(new Set(minutes).size).toBe(200);
  expect(minutes.filter((minute) => minute < 225).length).toBeGreaterThan(70);
  expect(minutes.filter((minute) => minute >= 225).length).toBeGreaterThan(70);
});

test('a device may refresh from its minute until 05:00, and then not before the next night', () => {
  const HALF_PAST_FOUR = MIDNIGHT + 4.5 * 3_600_000;
  for (const id of ids) {
    expect(msUntilPageRefresh(id, 'UTC', HALF_PAST_FOUR)).toBe(0);
    expect(msUntilPageRefresh(id, 'UTC', MIDNIGHT + 5 * 3_600_000)).toBeGreaterThan(21 * 3_600_000);
  }
});

test('the time zone is that of the organization', () => {
  const inTokyo = msUntilPageRefresh('dev_1', 'Asia/Tokyo', MIDNIGHT);
  expect(inTokyo).toBe((msUntilPageRefresh('dev_1', 'UTC', MIDNIGHT) + 15 * 3_600_000) % (24 * 3_600_000));
});
