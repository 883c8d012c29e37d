import { describe, expect, test } from 'vitest';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { createTimeZone } from './time-zone.ts';

describe('a zone', () => {
  test('agrees with Intl in every zone of this runtime, from 1970 to 2035', () => {
    const random = createSeededRandom(1);
    const wrong: string[] = [];
    for (const name of Intl.supportedValuesOf('timeZone')) {
      const zone = createTimeZone(name);
      const offsetOf = intlOffset(name);
      for (let index = 0; index < 40; index++) {
        const atMs = random.int(0, Date.UTC(2035, 11, 31));
        if (zone.spanAt(atMs).offsetMs !== offsetOf(atMs)) {
          wrong.push(`${name} ${new Date(atMs).toISOString()}`);
        }
      }
    }
    expect(wrong).toEqual([]);
  }, 60_000);

  test('changes in the same millisecond as Intl, in every zone, around now', () => {
    const wrong: string[] = [];
    let changes = 0;
    for (const name of Intl.supportedValuesOf('timeZone')) {
      const zone = createTimeZone(name);
      const offsetOf = intlOffset(name);
      let span = zone.spanAt(Date.UTC(2026, 0, 1));
      while (span.untilMs < Date.UTC(2028, 0, 1)) {
        const next = zone.spanAt(span.untilMs);
        if (next.offsetMs !== span.offsetMs) {
          changes++;
        }
        if (
          next.fromMs !== span.untilMs ||
          offsetOf(span.untilMs - 1) !== span.offsetMs ||
          offsetOf(span.untilMs) !== next.offsetMs
        ) {
          wrong.push(`${name} ${new Date(span.untilMs).toISOString()}`);
        }
        span = next;
      }
    }
    expect(wrong).toEqual([]);
    expect(changes).toBeGreaterThan(400);
  }, 60_000);

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

function intlOffset(name: string): (atMs: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  return (atMs) => {
    const text = format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')!.value;
    const match = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text)!;
    const seconds = Number(match[2] ?? 0) * 3600 + Number(match[3] ?? 0) * 60 + Number(match[4] ?? 0);
    return (match[1] === '-' ? -seconds : seconds) * 1000 + 0;
  };
}
