import { describe, expect, test } from 'vitest';
import type { Showing } from '../../src/core/playback/plays.ts';
import { sha256Of } from '../support/manifests.ts';
import { PLAYER_DATABASES } from '../support/player-databases.ts';

const NOON = Date.UTC(2026, 10, 20, 12);
const createShowing = (id: string, more: Partial<Showing> = {}): Showing => ({
  id: `play_${id.padStart(26, '0')}`,
  playlistId: 'pl_1',
  itemId: `item_${id}`,
  contentId: `asset_${id}`,
  sha256: sha256Of(id),
  scheduleId: null,
  ruleId: null,
  kind: 'image',
  durationMs: 10_000,
  videoEndMs: null,
  ...more,
});
const completed = (endedAtMs: number) => ({
  endedAtMs,
  durationMs: 10_000,
  outcome: 'completed' as const,
  reason: null,
});

describe.each(PLAYER_DATABASES)('the plays of the %s database', (_, make) => {
  test('a play goes from prepared to open to closed, and is deleted when it is confirmed', () => {
    const { database, reopen } = make();
    const one = createShowing('1');
    database.savePreparedShowing(one, {
      playlistId: 'pl_1',
      position: { round: 0, last: 'item_1', index: 0 },
    });
    expect(reopen().readUnfinishedPlays()).toEqual({ prepared: one, superseded: [], open: [] });
    const again = reopen();
    expect(again.readPositions()).toEqual({ pl_1: { round: 0, last: 'item_1', index: 0 } });
    again.savePlayStart(one, NOON, null);
    expect(reopen().readUnfinishedPlays()).toEqual({
      prepared: null,
      superseded: [],
      open: [{ showing: one, startedAtMs: NOON, unconfirmedBootId: null }],
    });
    const third = reopen();
    third.savePlayEnd(one, NOON, completed(NOON + 10_000), null);
    expect(third.readUnfinishedPlays()).toEqual({ prepared: null, superseded: [], open: [] });
    expect(reopen().readPendingPlays(10)).toEqual([
      {
        id: one.id,
        content_id: 'asset_1',
        playlist_id: 'pl_1',
        schedule_id: null,
        rule_id: null,
        started_at: '2026-11-20T12:00:00.000Z',
        ended_at: '2026-11-20T12:00:10.000Z',
        duration_ms: 10_000,
        outcome: 'completed',
        reason: null,
      },
    ]);
    const last = reopen();
    last.deleteReportedPlays([one.id]);
    expect(last.readPendingPlays(10)).toEqual([]);
  });

  test('only one play is prepared at a time, and its position can be undone', () => {
    const { database } = make();
    database.savePreparedShowing(createShowing('1'), {
      playlistId: 'pl_1',
      position: { round: 0, last: 'item_1' },
    });
    database.savePreparedShowing(createShowing('2'), {
      playlistId: 'pl_1',
      position: { round: 0, last: 'item_2' },
    });
    expect(database.readUnfinishedPlays().prepared?.itemId).toBe('item_2');
    database.savePreparedShowing(null, { playlistId: 'pl_1', position: null });
    expect(database.readUnfinishedPlays().prepared).toBe(null);
    expect(database.readPositions()).toEqual({});
  });

  test('a play that was replaced but started nevertheless is kept', () => {
    const { database } = make();
    database.savePreparedShowing(createShowing('1'), null);
    database.savePreparedShowing(createShowing('2'), null);
    expect(database.readUnfinishedPlays()).toMatchObject({ superseded: [{ itemId: 'item_1' }] });
    database.savePlayStart(createShowing('1'), NOON, null);
    expect(database.readUnfinishedPlays()).toMatchObject({
      prepared: { itemId: 'item_2' },
      superseded: [],
      open: [{ showing: { itemId: 'item_1' } }],
    });
  });

  test('a play is closed once; later reports do not change it', () => {
    const { database } = make();
    database.savePlayStart(createShowing('1'), NOON, null);
    database.savePlayEnd(createShowing('1'), NOON, completed(NOON + 10_000), null);
    database.savePlayEnd(
      createShowing('1'),
      NOON,
      { ...completed(NOON + 99_000), outcome: 'failed', reason: 'late' },
      null,
    );
    database.savePlayStart(createShowing('1'), NOON + 50_000, null);
    expect(database.readPendingPlays(10)).toMatchObject([{ outcome: 'completed', duration_ms: 10_000 }]);
    expect(database.readUnfinishedPlays().open).toEqual([]);
  });

  test('plays with times of a wrong clock are corrected, only those of this boot', () => {
    const { database, reopen } = make();
    const T2013 = Date.UTC(2013, 0, 1);
    database.savePlayEnd(createShowing('1'), T2013, completed(T2013 + 10_000), 'boot-1');
    database.savePlayEnd(createShowing('2'), T2013, completed(T2013 + 10_000), 'boot-0');
    database.savePlayEnd(createShowing('3'), NOON, completed(NOON + 10_000), null);
    database.savePlayStart(createShowing('4'), T2013 + 10_000, 'boot-1');
    database.shiftUnconfirmedPlays('boot-1', 3_600_000, false);
    const again = reopen();
    expect(again.readUnfinishedPlays().open).toMatchObject([
      { startedAtMs: T2013 + 3_610_000, unconfirmedBootId: 'boot-1' },
    ]);
    again.shiftUnconfirmedPlays('boot-1', NOON - T2013 - 3_600_000, true);
    again.shiftUnconfirmedPlays('boot-1', 99_000, true);
    const dates = again.readPendingPlays(10).map((play) => [play.content_id, play.started_at, play.ended_at]);
    expect(Object.fromEntries(dates.map(([id, ...rest]) => [id, rest]))).toEqual({
      asset_1: ['2026-11-20T12:00:00.000Z', '2026-11-20T12:00:10.000Z'],
      asset_2: ['2013-01-01T00:00:00.000Z', '2013-01-01T00:00:10.000Z'],
      asset_3: ['2026-11-20T12:00:00.000Z', '2026-11-20T12:00:10.000Z'],
    });
    expect(again.readUnfinishedPlays().open).toMatchObject([
      { startedAtMs: NOON + 10_000, unconfirmedBootId: null },
    ]);
  });

  test('pending plays are returned oldest first, in batches, and old ones are dropped by count', () => {
    const { database } = make();
    for (const [index, id] of ['3', '1', '2'].entries()) {
      database.savePlayEnd(createShowing(id), NOON, completed(NOON + index * 1_000), null);
    }
    database.savePlayStart(createShowing('9'), NOON, null);
    expect(database.readPendingPlays(2).map((play) => play.content_id)).toEqual(['asset_3', 'asset_1']);
    expect(database.deletePlaysBefore(NOON + 1_500)).toBe(2);
    expect(database.readPendingPlays(10).map((play) => play.content_id)).toEqual(['asset_2']);
    expect(database.readUnfinishedPlays().open).toHaveLength(1);
  });
});
