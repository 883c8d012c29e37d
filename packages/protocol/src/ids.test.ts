import { expect, test } from 'vitest';
import { idTimeMs, makeId } from './ids.ts';

const randomBytes = (fill: number) => new Uint8Array(16).fill(fill);

test('an id has the prefix of its kind and 26 characters', () => {
  expect(makeId('device', 0, randomBytes(0))).toBe('dev_' + '0'.repeat(26));
  expect(makeId('play', Date.UTC(2026, 10, 20), randomBytes(31))).toMatch(/^play_[0-9a-z]{10}z{16}$/);
});

test('ids sort by creation time', () => {
  const ids = [0, 1, 31, 32, 1_700_000_000_000, 1_800_000_000_000, 2 ** 47].map((at) =>
    makeId('asset', at, randomBytes(at % 7)),
  );
  expect(ids.toSorted()).toEqual(ids);
});

test('too few random bytes are rejected', () => {
  expect(() => makeId('device', 0, new Uint8Array(8))).toThrow(RangeError);
});

test('the creation time is read from an id, and null from other text', () => {
  const at = Date.UTC(2026, 10, 22, 10, 41);
  expect(idTimeMs('pairing', makeId('pairing', at, randomBytes(7)))).toBe(at);
  expect(idTimeMs('device', makeId('pairing', at, randomBytes(7)))).toBeNull();
  expect(idTimeMs('pairing', 'pair_1')).toBeNull();
  expect(idTimeMs('pairing', `pair_${'u'.repeat(26)}`)).toBeNull();
});
