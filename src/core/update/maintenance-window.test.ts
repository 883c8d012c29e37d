import { describe, expect, test } from 'vitest';
import {
  DEFAULT_MAINTENANCE_WINDOW,
  msUntilWindow,
  parseMaintenanceWindow,
  windowDurationMinutes,
} from './maintenance-window.ts';

const HOUR_MS = 3_600_000;
const at = (iso: string) => Date.parse(iso);

describe('the maintenance window', () => {
  test('is written as two times of the day', () => {
    expect(parseMaintenanceWindow('02:00-05:00')).toEqual(DEFAULT_MAINTENANCE_WINDOW);
    expect(parseMaintenanceWindow('22:30-04:15')).toEqual({ startMinute: 1350, endMinute: 255 });
  });

  test.each(['', '2:00-5:00', '02:00', '24:00-05:00', '02:60-05:00', '02:00-05:00 ', 'never'])(
    'is not %j',
    (text) => {
      expect(parseMaintenanceWindow(text)).toBeNull();
    },
  );

  test.each([
    ['02:00-05:00', 180],
    ['22:00-04:00', 360],
    ['03:00-03:00', 1440],
    ['always', 1440],
  ])('%s lasts %d minutes', (text, minutes) => {
    expect(windowDurationMinutes(parseMaintenanceWindow(text)!)).toBe(minutes);
  });

  test.each([
    ['2026-11-20T01:59:00Z', 60_000],
    ['2026-11-20T02:00:00Z', 0],
    ['2026-11-20T04:59:59Z', 0],
    ['2026-11-20T05:00:00Z', 21 * HOUR_MS],
    ['2026-11-20T12:00:00Z', 14 * HOUR_MS],
  ])('from 02:00 to 05:00, at %s, opens in %d ms', (now, ms) => {
    expect(msUntilWindow(DEFAULT_MAINTENANCE_WINDOW, 'UTC', at(now))).toBe(ms);
  });

  test('is in the time zone of the organization', () => {
    expect(msUntilWindow(DEFAULT_MAINTENANCE_WINDOW, 'Asia/Tokyo', at('2026-11-20T17:00:00Z'))).toBe(0);
    expect(msUntilWindow(DEFAULT_MAINTENANCE_WINDOW, 'America/New_York', at('2026-11-20T06:30:00Z'))).toBe(
      0.5 * HOUR_MS,
    );
  });

  test('may go past midnight', () => {
    const night = parseMaintenanceWindow('22:00-04:00')!;
    expect(msUntilWindow(night, 'UTC', at('2026-11-20T23:00:00Z'))).toBe(0);
    expect(msUntilWindow(night, 'UTC', at('2026-11-20T03:00:00Z'))).toBe(0);
    expect(msUntilWindow(night, 'UTC', at('2026-11-20T04:00:00Z'))).toBe(18 * HOUR_MS);
  });

  test('`always` is open at any time', () => {
    const always = parseMaintenanceWindow('always')!;
    for (let hour = 0; hour < 24; hour++) {
      expect(msUntilWindow(always, 'UTC', at('2026-11-20T00:00:00Z') + hour * HOUR_MS)).toBe(0);
    }
  });
});
