import { describe, expect, test } from 'vitest';
import { compareOverStretch } from './compare.ts';
import type { Stretch } from './compare.ts';

/** Unusual offset changes. `about` is the instant of the change, or close to it. */
const STRETCHES: readonly Stretch[] = [
  { zone: 'America/New_York', about: '2026-03-08T07:00Z' },
  { zone: 'America/New_York', about: '2026-11-01T06:00Z' },
  { zone: 'Europe/London', about: '2027-03-28T01:00Z' },
  { zone: 'Europe/Berlin', about: '2035-10-28T01:00Z' },
  { zone: 'Australia/Sydney', about: '2026-10-03T16:00Z' },
  { zone: 'Australia/Sydney', about: '2027-04-03T16:00Z' },
  // Half an hour.
  { zone: 'Australia/Lord_Howe', about: '2026-10-03T15:30Z' },
  { zone: 'Australia/Lord_Howe', about: '2027-04-03T15:00Z' },
  // At 00:01, so that the clock goes back into the day before.
  { zone: 'America/St_Johns', about: '2010-11-07T02:31Z' },
  { zone: 'America/St_Johns', about: '2011-03-13T03:31Z' },
  { zone: 'America/St_Johns', about: '2026-11-01T04:30Z' },
  // At midnight: a day that begins at 01:00, and one whose last hour is repeated.
  { zone: 'America/Sao_Paulo', about: '2018-11-04T03:00Z' },
  { zone: 'America/Sao_Paulo', about: '2019-02-17T02:00Z' },
  { zone: 'Africa/Cairo', about: '2026-04-23T22:00Z' },
  { zone: 'Africa/Cairo', about: '2026-10-29T21:00Z' },
  { zone: 'Asia/Beirut', about: '2026-03-28T22:00Z' },
  { zone: 'Asia/Beirut', about: '2026-10-24T21:00Z' },
  { zone: 'America/Santiago', about: '2026-09-06T04:00Z' },
  // 30 December 2011 was skipped.
  { zone: 'Pacific/Apia', about: '2011-12-30T10:00Z' },
  // Summer time is suspended for Ramadan.
  { zone: 'Africa/Casablanca', about: '2026-02-15T02:00Z' },
  { zone: 'Africa/Casablanca', about: '2026-03-22T02:00Z' },
  // Two hours.
  { zone: 'Antarctica/Troll', about: '2026-03-29T01:00Z' },
  { zone: 'Pacific/Chatham', about: '2026-09-26T14:00Z' },
  // A permanent new offset, by a quarter and by half an hour.
  { zone: 'Asia/Kathmandu', about: '1985-12-31T18:30Z' },
  { zone: 'Asia/Pyongyang', about: '2018-05-04T15:00Z' },
  { zone: 'Europe/Dublin', about: '2026-10-25T01:00Z' },
  { zone: 'UTC', about: '2028-02-29T00:00Z' },
];

describe('random rules agree with a walk over every minute of the wall clock', () => {
  let total = 0;
  test.each(STRETCHES.map((stretch, index) => ({ ...stretch, seed: 1000 + index })))(
    'in $zone about $about',
    ({ zone, about, seed }) => {
      const { compared, differences } = compareOverStretch({ zone, about }, seed, 25, 140);
      total += compared;
      expect(differences.slice(0, 3)).toEqual([]);
      expect(compared).toBeGreaterThan(3200);
    },
    60_000,
  );

  test('at least a hundred thousand results are compared', () => {
    expect(total).toBeGreaterThanOrEqual(100_000);
  });
});
