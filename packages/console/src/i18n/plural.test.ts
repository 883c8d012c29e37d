import { expect, test } from 'vitest';
import { pluralsOf } from './plural.ts';

const STORES = { one: '# store', other: '# stores' };

test('a number is said in the form that the language has for it', () => {
  const english = pluralsOf('en');
  expect([0, 1, 2, 1200].map((count) => english(count, STORES))).toEqual([
    '0 stores',
    '1 store',
    '2 stores',
    '1,200 stores',
  ]);
  const french = pluralsOf('fr');
  expect([0, 1, 2].map((count) => french(count, { one: '# écran', other: '# écrans' }))).toEqual([
    '0 écran',
    '1 écran',
    '2 écrans',
  ]);
});

test('a form that is not given is the other one', () => {
  expect(pluralsOf('fr')(1_000_000, { one: '# écran', other: '# écrans' })).toMatch(/^1.000.000 écrans$/);
  expect(pluralsOf('ja')(1, { other: '# 店舗' })).toBe('1 店舗');
});
