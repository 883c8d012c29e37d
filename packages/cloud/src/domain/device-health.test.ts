import { expect, test } from 'vitest';
import {
  formatHealth,
  healthAfter,
  NO_TOTALS,
  NONE,
  parseHealth,
  recentTotals,
  subtractTotals,
  totalsUntil,
} from './device-health.ts';
import type { HealthTotals } from './device-health.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;

type Reported = Partial<Parameters<typeof healthAfter>[2]>;

/** Heartbeats of one device, one after the other. */
function createDevice() {
  let health: string | null = null;
  let lastMs: number | null = null;
  return {
    /** Whether it was written. */
    beat: (atMs: number, state: Reported = {}, newFaults = 0): boolean => {
      const written = healthAfter(health, lastMs, { shell: 'chromium', ...state }, newFaults, atMs);
      health = written ?? health;
      lastMs = atMs;
      return written !== undefined;
    },
    totals: (): HealthTotals => totalsUntil(parseHealth(health ?? ''), lastMs ?? 0),
    recent: (): HealthTotals => recentTotals(parseHealth(health ?? ''), lastMs ?? 0),
    read: () => parseHealth(health ?? ''),
  };
}

test('it is written when something has happened, after a silence, and once an hour; its minutes are those of all heartbeats', () => {
  const { beat, totals } = createDevice();
  const starts = { count: 7, first_picture_ms: 2000 };
  const written = [];
  for (let minute = 0; minute <= 130; minute += 1) {
    if (beat(minute * MINUTE_MS, { starts })) {
      written.push(minute);
    }
  }
  expect(written).toEqual([0, 60, 120]);
  expect(totals()).toEqual({ ...NO_TOTALS, minutes: 130, countedMinutes: 130 });
  expect(beat(131 * MINUTE_MS, { starts }, 1)).toBe(true);
  expect(beat(132 * MINUTE_MS, { starts: { count: 8, first_picture_ms: null } })).toBe(true);
  expect(beat(133 * MINUTE_MS, { starts: { count: 8, first_picture_ms: null } })).toBe(false);
  expect(beat(134 * MINUTE_MS, { starts: { count: 8, first_picture_ms: 3000 } })).toBe(true);
  expect(beat(140 * MINUTE_MS, { starts: { count: 8, first_picture_ms: 3000 } }), 'a silence').toBe(true);
  expect(totals()).toEqual({
    minutes: 137,
    faults: 1,
    frames: 0,
    dropped: 0,
    countedMinutes: 137,
    starts: 1,
    pictures: 1,
    logMs: Math.round(Math.log(3000) * 1000) / 1000,
  });
});

test('frames are counted from 0 again by a new page', () => {
  const { beat, totals } = createDevice();
  beat(0, { frames: { drawn: 500, dropped: 5 } });
  beat(MINUTE_MS, { frames: { drawn: 900, dropped: 15 } }, 1);
  expect(totals()).toMatchObject({ frames: 410, dropped: 10 });
  beat(2 * MINUTE_MS, { frames: { drawn: 100, dropped: 2 } }, 1);
  expect(totals()).toMatchObject({ frames: 512, dropped: 12 });
});

test('a silence counts for three minutes, and players that do not count their starts for none', () => {
  const { beat, totals } = createDevice();
  beat(0);
  beat(DAY_MS);
  expect(totals()).toEqual({ ...NO_TOTALS, minutes: 3 });
});

test('a counter of starts that begins again takes nothing away', () => {
  const { beat, totals } = createDevice();
  beat(0, { starts: { count: 50, first_picture_ms: null } });
  beat(MINUTE_MS, { starts: { count: 1, first_picture_ms: null } });
  expect(totals().starts).toBe(0);
});

test('recent totals cover one to two weeks', () => {
  const { beat, recent, read } = createDevice();
  for (let day = 0; day < 40; day += 1) {
    beat(day * DAY_MS, {}, day === 0 ? 0 : 1);
    const { faults } = recent();
    expect(faults).toBeLessThanOrEqual(14);
    expect(faults).toBeGreaterThanOrEqual(Math.min(day, 7));
    expect(read().marks.length).toBeLessThanOrEqual(2);
  }
});

const ALL_DIFFERENT: HealthTotals = {
  minutes: 1.5,
  faults: 2,
  frames: 3,
  dropped: 4,
  countedMinutes: 5,
  starts: 6,
  pictures: 7,
  logMs: 8.125,
};

test('what was written can be read', () => {
  const health = {
    at: 5,
    starts: NONE,
    pictureOf: 3,
    drawn: 10,
    dropped: 1,
    totals: ALL_DIFFERENT,
    marks: [{ at: 1, totals: NO_TOTALS }],
    shell: 'a shell; with, signs',
  };
  const written = formatHealth(health);
  expect(written).toBe('5,-1,3,10,1,1.5,2,3,4,5,6,7,8.125,1,0,0,0,0,0,0,0,0;a shell; with, signs');
  expect(parseHealth(written)).toEqual(health);
});

test('differences are never below 0', () => {
  const before = { ...NO_TOTALS, minutes: 2, faults: 1, frames: 3, dropped: 5 };
  expect(subtractTotals(ALL_DIFFERENT, before)).toEqual({
    ...ALL_DIFFERENT,
    minutes: 0,
    faults: 1,
    frames: 0,
    dropped: 0,
  });
});
