import { describe, expect, test } from 'vitest';
import type { PlayDraft } from '../../src/core/playback/plays.ts';
import { hashOf } from '../support/manifests.ts';
import { STORES } from '../support/stores.ts';

const NOON = Date.UTC(2026, 10, 20, 12);
const draft = (id: string, more: Partial<PlayDraft> = {}): PlayDraft => ({
  id: `play_${id.padStart(26, '0')}`,
  playlistId: 'pl_1',
  itemId: `item_${id}`,
  contentId: `asset_${id}`,
  sha256: hashOf(id),
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

describe.each(STORES)('the plays of the %s store', (_, make) => {
  test('a play goes from prepared to open to closed, and leaves when it is confirmed', () => {
    const { store, reopen } = make();
    const one = draft('1');
    store.playPrepared(one, { playlistId: 'pl_1', position: { round: 0, last: 'item_1', index: 0 } });
    expect(reopen().unfinishedPlays()).toEqual({ prepared: one, superseded: [], open: [] });
    const again = reopen();
    expect(again.readPositions()).toEqual({ pl_1: { round: 0, last: 'item_1', index: 0 } });
    again.playStarted(one, NOON, null);
    expect(reopen().unfinishedPlays()).toEqual({
      prepared: null,
      superseded: [],
      open: [{ draft: one, startedAtMs: NOON, guess: null }],
    });
    const third = reopen();
    third.playEnded(one, NOON, completed(NOON + 10_000), null);
    expect(third.unfinishedPlays()).toEqual({ prepared: null, superseded: [], open: [] });
    expect(reopen().pendingPlays(10)).toEqual([
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
    last.confirmPlays([one.id]);
    expect(last.pendingPlays(10)).toEqual([]);
  });

  test('only one play is prepared at a time, and its position can be taken back', () => {
    const { store } = make();
    store.playPrepared(draft('1'), { playlistId: 'pl_1', position: { round: 0, last: 'item_1' } });
    store.playPrepared(draft('2'), { playlistId: 'pl_1', position: { round: 0, last: 'item_2' } });
    expect(store.unfinishedPlays().prepared?.itemId).toBe('item_2');
    store.playPrepared(null, { playlistId: 'pl_1', position: null });
    expect(store.unfinishedPlays().prepared).toBe(null);
    expect(store.readPositions()).toEqual({});
  });

  test('a play that was replaced and started nevertheless is kept', () => {
    const { store } = make();
    store.playPrepared(draft('1'), null);
    store.playPrepared(draft('2'), null);
    expect(store.unfinishedPlays()).toMatchObject({ superseded: [{ itemId: 'item_1' }] });
    store.playStarted(draft('1'), NOON, null);
    expect(store.unfinishedPlays()).toMatchObject({
      prepared: { itemId: 'item_2' },
      superseded: [],
      open: [{ draft: { itemId: 'item_1' } }],
    });
  });

  test('a play is closed once; what comes later does not change it', () => {
    const { store } = make();
    store.playStarted(draft('1'), NOON, null);
    store.playEnded(draft('1'), NOON, completed(NOON + 10_000), null);
    store.playEnded(
      draft('1'),
      NOON,
      { ...completed(NOON + 99_000), outcome: 'failed', reason: 'late' },
      null,
    );
    store.playStarted(draft('1'), NOON + 50_000, null);
    expect(store.pendingPlays(10)).toMatchObject([{ outcome: 'completed', duration_ms: 10_000 }]);
    expect(store.unfinishedPlays().open).toEqual([]);
  });

  test('plays that were dated by a wrong clock are dated anew, those of this boot alone', () => {
    const { store, reopen } = make();
    const T2013 = Date.UTC(2013, 0, 1);
    store.playEnded(draft('1'), T2013, completed(T2013 + 10_000), 'boot-1');
    store.playEnded(draft('2'), T2013, completed(T2013 + 10_000), 'boot-0');
    store.playEnded(draft('3'), NOON, completed(NOON + 10_000), null);
    store.playStarted(draft('4'), T2013 + 10_000, 'boot-1');
    store.correctPlays('boot-1', 3_600_000, false);
    const again = reopen();
    expect(again.unfinishedPlays().open).toMatchObject([{ startedAtMs: T2013 + 3_610_000, guess: 'boot-1' }]);
    again.correctPlays('boot-1', NOON - T2013 - 3_600_000, true);
    again.correctPlays('boot-1', 99_000, true);
    const dates = again.pendingPlays(10).map((play) => [play.content_id, play.started_at, play.ended_at]);
    expect(Object.fromEntries(dates.map(([id, ...rest]) => [id, rest]))).toEqual({
      asset_1: ['2026-11-20T12:00:00.000Z', '2026-11-20T12:00:10.000Z'],
      asset_2: ['2013-01-01T00:00:00.000Z', '2013-01-01T00:00:10.000Z'],
      asset_3: ['2026-11-20T12:00:00.000Z', '2026-11-20T12:00:10.000Z'],
    });
    expect(again.unfinishedPlays().open).toMatchObject([{ startedAtMs: NOON + 10_000, guess: null }]);
  });

  test('waiting plays come oldest first, in batches, and old ones are dropped by count', () => {
    const { store } = make();
    for (const [index, id] of ['3', '1', '2'].entries()) {
      store.playEnded(draft(id), NOON, completed(NOON + index * 1_000), null);
    }
    store.playStarted(draft('9'), NOON, null);
    expect(store.pendingPlays(2).map((play) => play.content_id)).toEqual(['asset_3', 'asset_1']);
    expect(store.dropPlaysBefore(NOON + 1_500)).toBe(2);
    expect(store.pendingPlays(10).map((play) => play.content_id)).toEqual(['asset_2']);
    expect(store.unfinishedPlays().open).toHaveLength(1);
  });
});
