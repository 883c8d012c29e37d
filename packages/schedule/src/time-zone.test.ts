import { describe, expect, test } from 'vitest';
import { createTimeZone } from './time-zone.ts';

describe('a zone', () => {
  test('finds two changes a week apart (Recife, October 2000)', () => {
    const zone = createTimeZone('America/Recife');
    const hours = (at: string) => zone.spanAt(Date.parse(at)).offsetMs / 3_600_000;
    expect([hours('2000-10-07T12:00Z'), hours('2000-10-10T12:00Z'), hours('2000-10-16T12:00Z')]).toEqual([
      -3, -2, -3,
    ]);
  });

  test('supports offsets with seconds (Monrovia until 1972)', () => {
    expect(createTimeZone('Africa/Monrovia').spanAt(0).offsetMs).toBe(-(44 * 60 + 30) * 1000);
  });

  test('is correct in years far from now', () => {
    const zone = createTimeZone('America/New_York');
    const localMeanTimeMs = -((4 * 60 + 56) * 60 + 2) * 1000;
    for (const at of ['0000-06-01T00:00Z', '0001-01-01T00:00Z', '0099-12-31T00:00Z', '1883-11-18T16:59Z']) {
      expect(zone.spanAt(Date.parse(at)).offsetMs).toBe(localMeanTimeMs);
    }
    expect(zone.spanAt(Date.parse('9999-12-31T23:59Z')).offsetMs).toBe(-5 * 3_600_000);
  });

  test('converts instants to wall time', () => {
    expect(createTimeZone('Asia/Kathmandu').localTimeAt(Date.UTC(2026, 10, 20, 12, 0))).toBe(
      Date.UTC(2026, 10, 20, 17, 45),
    );
  });

  test.each([
    ['an ordinary time', '2026-11-20T12:00Z', '2026-11-20T12:00-05:00'],
    ['a skipped time: the jump', '2026-03-08T02:30Z', '2026-03-08T03:00-04:00'],
    ['a repeated time: the first pass', '2026-11-01T01:30Z', '2026-11-01T01:30-04:00'],
    ['the end of a repeated hour', '2026-11-01T02:00Z', '2026-11-01T02:00-05:00'],
  ])('finds the first instant of %s', (_name, wall, instant) => {
    expect(createTimeZone('America/New_York').firstInstantAt(Date.parse(wall))).toBe(Date.parse(instant));
  });

  test('finds the first instant of a skipped day', () => {
    expect(createTimeZone('Pacific/Apia').firstInstantAt(Date.parse('2011-12-30T09:00Z'))).toBe(
      Date.parse('2011-12-31T00:00+14:00'),
    );
  });

  test('rejects an unknown zone and an invalid instant', () => {
    expect(() => createTimeZone('Europe/Atlantis')).toThrow(RangeError);
    expect(() => createTimeZone('UTC').spanAt(NaN)).toThrow(RangeError);
  });
});
