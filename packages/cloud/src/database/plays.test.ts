import { setImmediate } from 'node:timers/promises';
import { assert, asyncProperty, constantFrom, integer } from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openTestDb } from '../../test/support/open-test-database.ts';
import { countPerBucket, playRepository } from './plays.ts';
import type { ReportedPlay } from './plays.ts';

const BASE = Date.UTC(2026, 0, 1);
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const DAYS = 6;

const db = await openTestDb(afterAll);
const plays: (ReportedPlay & { device: string })[] = [];
beforeAll(async () => {
  const outcomes = ['completed', 'interrupted', 'failed'] as const;
  for (let i = 0; i < 400; i++) {
    // Spread over the days, some exactly at the start of an hour or day.
    const at = BASE + (i % 5 === 0 ? (i % (DAYS * 24)) * HOUR_MS : (i * 7_919_333) % (DAYS * DAY_MS));
    plays.push({
      id: `play_${String(i).padStart(20, '0')}`,
      device: `dev_${i % 3}`,
      content_id: `asset_${i % 4}`,
      playlist_id: i % 6 === 0 ? null : `pl_${i % 2}`,
      schedule_id: null,
      rule_id: null,
      started_at: at,
      ended_at: at + 1000,
      duration_ms: 1000 + i,
      outcome: outcomes[i % 3] ?? 'failed',
      reason: null,
    });
  }
  await db.transaction().execute(async (trx) => {
    for (const [device, some] of Map.groupBy(plays, (play) => play.device)) {
      await playRepository(trx).add(device, some, 0);
    }
  });
});

const keys = {
  content: (play: (typeof plays)[number]) => play.content_id,
  playlist: (play: (typeof plays)[number]) => play.playlist_id ?? '',
  device: (play: (typeof plays)[number]) => play.device,
  hour: (play: (typeof plays)[number]) => String(Math.floor(play.started_at / HOUR_MS) * HOUR_MS),
  day: (play: (typeof plays)[number]) => String(Math.floor(play.started_at / DAY_MS) * DAY_MS),
};

test('counts of any range match its plays in every grouping', async () => {
  const instant = integer({ min: -2 * HOUR_MS, max: (DAYS + 1) * DAY_MS }).map((ms) => BASE + ms);
  const edge = integer({ min: -1, max: DAYS * 24 + 1 }).map((hours) => BASE + hours * HOUR_MS);
  const group = constantFrom('content', 'playlist', 'device', 'hour', 'day');
  const pick = constantFrom(0, 1, 2, 3);
  await assert(
    asyncProperty(instant, edge, pick, group, async (a, b, which, by) => {
      const [fromMs, toMs] =
        which % 2 === 0 ? [Math.min(a, b), Math.max(a, b)] : [b, b + (which + 1) * DAY_MS];
      const within = plays.filter(({ started_at: at }) => at >= fromMs && at < toMs);
      const expected = new Map<string, number>();
      for (const play of within) {
        expected.set(keys[by](play), (expected.get(keys[by](play)) ?? 0) + play.duration_ms);
      }
      const rows = await playRepository(db).countBy(by, { fromMs, toMs });
      expect(new Map(rows.map((row) => [String(row.key), row.play_ms]))).toEqual(expected);
      const total = await playRepository(db).count({ fromMs, toMs, deviceId: 'dev_1' });
      const mine = within.filter(({ device }) => device === 'dev_1');
      expect([total.plays, total.completed]).toEqual([
        mine.length,
        mine.filter(({ outcome }) => outcome === 'completed').length,
      ]);
    }),
    { numRuns: 150 },
  );
});

test('counts of assets and playlists whose ids look alike when joined are kept apart', () => {
  const play = plays[0]!;
  const some = [
    { ...play, content_id: 'ab', playlist_id: 'c' },
    { ...play, content_id: 'a', playlist_id: 'bc' },
    { ...play, content_id: 'abc', playlist_id: null },
    { ...play, content_id: '', playlist_id: 'abc' },
    { ...play, content_id: 'abc', playlist_id: null },
  ];
  const { play_hours: hours, play_days: days } = countPerBucket('dev_0', some);
  expect(hours.map((row) => row.plays)).toEqual([1, 1, 2, 1]);
  expect(days.map((row) => row.plays)).toEqual([1, 1, 2, 1]);
});

test('a full batch of plays takes few statements, whatever content it names', async () => {
  let statements = 0;
  const counting = playRepository(
    db.withPlugin({
      transformQuery({ node }) {
        statements += 1;
        return node;
      },
      transformResult: async ({ result }) => result,
    }),
  );
  const some = plays.map((play, i) => ({ ...play, id: `play_many${i}000000`, content_id: `asset_many${i}` }));
  expect(
    await counting.findExistingIds(
      'dev_many',
      some.map(({ id }) => id),
    ),
  ).toEqual(new Set());
  await counting.add('dev_many', some, 0);
  expect(statements).toBeLessThan(10);
  expect((await counting.findExistingIds('dev_many', [some[7]!.id, 'play_other0000'])).size).toBe(1);
  const whole = { fromMs: BASE, toMs: BASE + DAYS * DAY_MS, deviceId: 'dev_many' };
  expect(await counting.count(whole)).toMatchObject({ plays: some.length });
  // Other tests expect only the original rows.
  for (const table of ['plays', 'play_hours', 'play_days'] as const) {
    await db.deleteFrom(table).where('device_id', '=', 'dev_many').execute();
  }
});

const exists = (key: string | number) => key === 'asset_20000';

/** Counts the turns of the event loop until the work is done. */
async function countTurns<T>(work: Promise<T>): Promise<[number, T]> {
  const state = { turns: 0, done: false };
  const finished = work.finally(() => (state.done = true));
  while (!state.done) {
    state.turns += 1;
    await setImmediate();
  }
  return [state.turns, await finished];
}

test('counting many rows works in batches that yield to the event loop', async () => {
  const many = Array.from({ length: 21_000 }, (_, i) => ({
    ...plays[0]!,
    id: `play_steps${String(i).padStart(14, '0')}`,
    content_id: `asset_${i}`,
  }));
  await db.transaction().execute((trx) => playRepository(trx).add('dev_steps', many, 0));
  const range = { fromMs: BASE - HOUR_MS, toMs: BASE + DAYS * DAY_MS };
  const read = async () => {
    const rows = [];
    const filter = { ...range, contentId: 'asset_that_is_not_here' };
    for await (const some of playRepository(db).export(filter)) {
      rows.push(...some);
    }
    return rows;
  };
  try {
    const [turns, counted] = await countTurns(playRepository(db).countBy('content', range, exists));
    expect(turns).toBeGreaterThan(2);
    expect(counted).toHaveLength(10_002);
    expect(counted.filter(({ key }) => key === 'asset_20000')).toMatchObject([{ plays: 1 }]);
    expect(counted[0]).toMatchObject({ key: '', plays: expect.any(Number) });
    const total = await playRepository(db).count(range);
    expect(counted.reduce((sum, row) => sum + row.plays, 0)).toBe(total.plays);
    const [turnsOfExport, none] = await countTurns(read());
    expect(none).toEqual([]);
    expect(turnsOfExport).toBeGreaterThan(20);
  } finally {
    for (const table of ['plays', 'play_hours', 'play_days'] as const) {
      await db.deleteFrom(table).where('device_id', '=', 'dev_steps').execute();
    }
  }
});

test('only old plays are deleted, in batches', async () => {
  const many = Array.from({ length: 5_500 }, (_, i) => ({
    ...plays[0]!,
    id: `play_old${String(i).padStart(16, '0')}`,
    content_id: `asset_${i}`,
    started_at: BASE - 10 * DAY_MS,
  }));
  await db.transaction().execute((trx) => playRepository(trx).add('dev_old', many, 0));
  const rows = (table: 'plays' | 'play_hours' | 'play_days') =>
    db.selectFrom(table).selectAll().where('device_id', '!=', 'dev_old').execute();
  const before = [await rows('plays'), await rows('play_hours'), await rows('play_days')];
  const [turns] = await countTurns(playRepository(db).deleteBefore(BASE - 5 * DAY_MS));
  expect(turns).toBeGreaterThan(15);
  expect([await rows('plays'), await rows('play_hours'), await rows('play_days')]).toEqual(before);
  for (const table of ['plays', 'play_hours', 'play_days'] as const) {
    expect(await db.selectFrom(table).where('device_id', '=', 'dev_old').selectAll().execute()).toEqual([]);
  }
});
