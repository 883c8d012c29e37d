import { expect, test } from 'vitest';
import { rememberingGaps } from './day-set.ts';

test('a stretch without days is searched once, though searches end and begin about a midnight at which the clock changes', () => {
  const searched: number[] = [];
  const days = rememberingGaps({
    has: () => false,
    next(from, to) {
      for (let day = from; day <= to; day++) searched.push(day);
      return null;
    },
  });
  // On day 100 the clock changes at midnight: the second search takes it for today and begins with tomorrow.
  for (let today = 0; today < 50; today++) {
    expect(days.next(today + 1, 99)).toBeNull();
    expect(days.next(101, today + 366)).toBeNull();
  }
  expect(searched).toEqual([...new Set(searched)]);
});

test('a day between two searches that does belong to the set is found by the next one', () => {
  const days = rememberingGaps({
    has: ({ number }) => number === 100,
    next: (from, to) => (from <= 100 && to >= 100 ? 100 : null),
  });
  expect(days.next(1, 99)).toBeNull();
  expect(days.next(101, 366)).toBeNull();
  expect(days.next(2, 366)).toBe(100);
});
