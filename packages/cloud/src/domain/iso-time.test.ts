import { assert, double, oneof, integer, property } from 'fast-check';
import { expect, test } from 'vitest';
import { toIso } from './iso-time.ts';

const MAX_MS = 8_640_000_000_000_000;

test('a timestamp is written as the platform writes it', () => {
  const any = oneof(
    integer({ min: -MAX_MS, max: MAX_MS }),
    // Many in one day, around its ends and with fractions.
    double({ min: -86_400_001, max: 86_400_001, noNaN: true }),
  );
  assert(
    property(any, (ms) => {
      expect(toIso(ms)).toBe(new Date(ms).toISOString());
    }),
    { numRuns: 2000 },
  );
});

test('a time that is none is an error', () => {
  for (const ms of [Number.NaN, Infinity, 2 * MAX_MS]) {
    expect(() => toIso(ms), String(ms)).toThrow(RangeError);
  }
});
