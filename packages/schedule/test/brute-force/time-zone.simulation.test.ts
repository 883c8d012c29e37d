import { expect, test } from 'vitest';
import { createSeededRandom } from '../../../../test/support/seeded-random.ts';
import { createTimeZone } from '../../src/time-zone.ts';

test('a zone agrees with Intl in every zone of this runtime, from 1970 to 2035', () => {
  const random = createSeededRandom(1);
  const wrong: string[] = [];
  for (const name of Intl.supportedValuesOf('timeZone')) {
    const zone = createTimeZone(name);
    const offsetOf = intlOffset(name);
    for (let index = 0; index < 15; index++) {
      const atMs = random.int(0, Date.UTC(2035, 11, 31));
      if (zone.spanAt(atMs).offsetMs !== offsetOf(atMs)) {
        wrong.push(`${name} ${new Date(atMs).toISOString()}`);
      }
    }
  }
  expect(wrong).toEqual([]);
}, 60_000);

test('a zone changes in the same millisecond as Intl, in every zone, around now', () => {
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

function intlOffset(name: string): (atMs: number) => number {
  const format = new Intl.DateTimeFormat('en-US', { timeZone: name, timeZoneName: 'longOffset' });
  return (atMs) => {
    const text = format.formatToParts(atMs).find(({ type }) => type === 'timeZoneName')!.value;
    const match = /^GMT(?:([+-])(\d\d):(\d\d)(?::(\d\d))?)?$/.exec(text)!;
    const seconds = Number(match[2] ?? 0) * 3600 + Number(match[3] ?? 0) * 60 + Number(match[4] ?? 0);
    return (match[1] === '-' ? -seconds : seconds) * 1000 + 0;
  };
}
