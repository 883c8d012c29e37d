import { expect, test } from 'vitest';
import { createRecentMap } from './recent-map.ts';

test('entries that are used in turn are all kept, up to the size', () => {
  const map = createRecentMap<number, string>(100);
  for (let key = 0; key < 100; key++) {
    map.set(key, `value ${key}`);
  }
  // Others come between, as keys of people do between those of devices.
  for (let round = 0; round < 5; round++) {
    map.set(1000 + round, 'other');
    for (let key = 0; key < 100; key++) {
      expect(map.get(key)).toBe(`value ${key}`);
    }
  }
});

test('what was not used for long is forgotten, and what is deleted at once', () => {
  const map = createRecentMap<number, number>(10);
  map.set(-1, 1);
  for (let key = 0; key < 9; key++) {
    map.set(key, key);
  }
  map.delete(3);
  expect(map.get(3)).toBeUndefined();
  for (let key = 9; key < 30; key++) {
    map.set(key, key);
  }
  expect(map.get(-1)).toBeUndefined();
  expect(
    Array.from({ length: 30 }, (_, key) => map.get(key)).filter((each) => each !== undefined).length,
  ).toBeLessThanOrEqual(20);
  expect(map.get(29)).toBe(29);
});

test('a deleted entry does not come back from the older half', () => {
  const map = createRecentMap<string, string>(1);
  map.set('a', 'old');
  map.set('b', 'new');
  expect(map.get('a')).toBe('old');
  map.delete('a');
  expect(map.get('a')).toBeUndefined();
});
