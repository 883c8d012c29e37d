import { expect, test } from 'vitest';
import { spanOf, stepsOf, toAnalyticsSearch } from './analytics-search.ts';

const NOW = Date.parse('2026-11-25T17:20:00Z');
const iso = (ms: number) => new Date(ms).toISOString();

test('an address with what it does not know is the page without it', () => {
  const wrong = {
    period: 'year',
    from: '2026-02-30',
    to: '2026-03-01',
    by: 'colour',
    page: '-1',
    content: '',
  };
  expect(toAnalyticsSearch(wrong)).toEqual({});
  expect(toAnalyticsSearch({ from: '2026-03-02', to: '2026-03-01' })).toEqual({});
});

test('two days replace the period', () => {
  const search = toAnalyticsSearch({ period: 'month', from: '2026-03-01', to: '2026-03-02', by: 'store' });
  expect(search).toEqual({ from: '2026-03-01', to: '2026-03-02', by: 'store' });
  const { fromMs, toMs, step } = spanOf(search, NOW);
  expect([iso(fromMs), iso(toMs), step]).toEqual([
    '2026-03-01T00:00:00.000Z',
    '2026-03-03T00:00:00.000Z',
    'hour',
  ]);
});

test('a period is whole hours or days until now', () => {
  const day = spanOf({ period: 'day' }, NOW);
  expect([iso(day.fromMs), day.step]).toEqual(['2026-11-24T18:00:00.000Z', 'hour']);
  expect(stepsOf(day, NOW)).toHaveLength(24);
  const week = spanOf({}, NOW);
  expect([iso(week.fromMs), week.step]).toEqual(['2026-11-19T00:00:00.000Z', 'day']);
  expect(stepsOf(week, NOW).map((ms) => iso(ms).slice(8, 10))).toEqual([
    '19',
    '20',
    '21',
    '22',
    '23',
    '24',
    '25',
  ]);
});

test('there are no steps in the future', () => {
  const span = spanOf({ from: '2026-11-24', to: '2026-12-31' }, NOW);
  expect(stepsOf(span, NOW)).toHaveLength(2);
  expect(stepsOf(spanOf({ from: '2027-01-01', to: '2027-01-31' }, NOW), NOW)).toEqual([]);
});
