import { describe, expect, test } from 'vitest';
import { sha256Of, rule } from '../../../test/support/manifests.ts';
import type { ManifestSpec } from '../../../test/support/manifests.ts';
import {
  THREE_IMAGES,
  endedEffects,
  createPlaybackDriver,
  stageOrders,
  playUntil,
} from '../../../test/support/playback-driver.ts';

describe('a rule boundary', () => {
  const BOUNDARY: ManifestSpec = {
    playlists: { day: ['a', 'b'], noon: ['x', 'y'] },
    basePlaylistId: 'day',
    rules: [rule('rule_1', 'noon', '12:01', '12:02')],
  };
  test('the next playlist is prepared before it and shown exactly on it', () => {
    const m = createPlaybackDriver();
    m.setManifest(BOUNDARY);
    m.hello();
    m.showPrepared();
    playUntil(m, 50_000);
    expect(m.itemNames()).toEqual(['b', 'x']);
    expect(m.state.prepared).toMatchObject({
      cut: 'on_command',
      showing: { scheduleId: 'sch_1', ruleId: 'rule_1' },
    });
    m.takeEffects();
    expect(m.waitMs()).toBe(10_000);
    m.advance(10_000);
    expect(stageOrders(m.takeEffects())).toEqual([{ type: 'cut', showing_id: m.state.prepared!.showing.id }]);
    m.showPrepared();
    expect(m.itemNames()).toEqual(['x', 'y']);
  });

  test('no new showing starts within the last second before it; the picture stays', () => {
    const m = createPlaybackDriver();
    m.setManifest({ ...BOUNDARY, playlists: { day: [['a', 59], 'b'], noon: ['x'] } });
    m.hello();
    m.showPrepared();
    m.advance(52_000);
    expect(m.itemNames()).toEqual(['a', 'x']);
    expect(m.state.prepared).toMatchObject({ cut: 'on_command' });
  });

  test('a long showing is interrupted on the boundary, with the reason', () => {
    const m = createPlaybackDriver();
    m.setManifest({ ...BOUNDARY, playlists: { day: [['a', 600]], noon: ['x'] } });
    m.hello();
    const first = m.showPrepared();
    m.advance(50_000);
    m.advance(10_000);
    m.takeEffects();
    const next = m.state.prepared!.showing.id;
    m.reportFromStage({ type: 'started', showing_id: next, ago_ms: 0 });
    m.reportFromStage({
      type: 'ended',
      showing_id: first,
      ago_ms: 0,
      shown_ms: 60_000,
      outcome: 'interrupted',
      reason: null,
    });
    expect(endedEffects(m.takeEffects())).toMatchObject([
      { end: { outcome: 'interrupted', reason: 'schedule' } },
    ]);
  });

  test('a showing prepared for the old playlist and never shown comes first when that playlist is active again', () => {
    const m = createPlaybackDriver();
    m.setManifest({ ...BOUNDARY, playlists: { day: ['a', 'b', 'c', 'd'], noon: ['x'] } });
    m.hello();
    m.showPrepared();
    playUntil(m, 59_000);
    const lastOfDay = m.state.current!.showing.itemId;
    m.advance(1_000);
    m.showPrepared();
    playUntil(m, 119_000);
    m.advance(1_000);
    m.showPrepared();
    const order = ['day/a', 'day/b', 'day/c', 'day/d'];
    expect(m.state.current?.showing.itemId).toBe(order[(order.indexOf(lastOfDay) + 1) % 4]);
  });

  test('at a boundary without a following playlist the stage is cleared and the play closed', () => {
    const m = createPlaybackDriver();
    m.setManifest({
      playlists: { noon: [['x', 600]] },
      basePlaylistId: null,
      rules: [rule('r', 'noon', '12:00', '12:01')],
    });
    m.hello();
    m.showPrepared();
    m.takeEffects();
    m.advance(60_000);
    const effects = m.takeEffects();
    expect(stageOrders(effects)).toEqual([{ type: 'clear' }]);
    expect(endedEffects(effects)).toMatchObject([
      { end: { outcome: 'interrupted', reason: 'schedule', durationMs: 60_000 } },
    ]);
    expect(m.state).toMatchObject({ hasPicture: false, current: null, prepared: null });
    m.advance(1_000);
    expect(m.takeEffects()).toEqual([]);
  });

  test('at a boundary to a playlist that cannot be shown the picture stays', () => {
    const m = createPlaybackDriver();
    m.setManifest(BOUNDARY, ['x', 'y']);
    m.hello();
    m.showPrepared();
    playUntil(m, 61_000);
    expect(m.state).toMatchObject({ hasPicture: true, nothingPlayable: true });
    expect(stageOrders(m.takeEffects()).some((order) => order.type === 'clear')).toBe(false);
    m.send({ kind: 'media_changed', cached: new Set(['x', 'y', 'a', 'b'].map(sha256Of)) });
    expect(m.state.prepared).toMatchObject({ showing: { contentId: 'asset_x' }, cut: 'when_ready' });
  });

  test('a prepared showing of the old playlist then waits, and is shown when that playlist is active again', () => {
    const m = createPlaybackDriver();
    m.setManifest(BOUNDARY, ['x', 'y']);
    m.hello();
    m.showPrepared();
    playUntil(m, 59_000);
    const ready = m.state.prepared!.showing;
    m.takeEffects();
    m.advance(1_000);
    expect(stageOrders(m.takeEffects())).toMatchObject([
      { type: 'prepare', cut: 'on_command', showing: { id: ready.id } },
    ]);
    m.reportFromStage({ type: 'ready', showing_id: ready.id });
    m.advance(59_000);
    expect(m.takeEffects()).toEqual([]);
    m.advance(1_000);
    expect(m.state.nothingPlayable).toBe(false);
    expect(stageOrders(m.takeEffects())).toMatchObject([
      { type: 'prepare', cut: 'after_current', showing: { id: ready.id } },
    ]);
  });

  test('an empty stage shows the prepared showing rather than nothing', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    m.hello();
    m.takeEffects();
    m.setManifest({ playlists: { pl: ['x'] } }, ['x']);
    expect(stageOrders(m.takeEffects())).toEqual([]);
    expect(m.state.prepared).toMatchObject({ cut: 'when_ready', showing: { contentId: 'asset_a' } });
  });

  test('the schedule is evaluated at least every 30 s, because clocks are corrected', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    m.hello();
    m.showPrepared();
    m.reportFromStage({ type: 'ready', showing_id: m.state.prepared!.showing.id });
    expect(m.waitMs()).toBe(30_000);
  });
});

describe('a new manifest', () => {
  test('that shortens the current item ends it after the new duration', () => {
    const m = createPlaybackDriver();
    m.setManifest({ playlists: { pl: [['a', 3_600], 'b'] } });
    m.hello();
    m.showPrepared();
    m.reportFromStage({ type: 'ready', showing_id: m.state.prepared!.showing.id });
    m.advance(8_000);
    m.takeEffects();
    m.setManifest({ playlists: { pl: [['a', 10], 'b'] } });
    expect(m.waitMs()).toBe(2_000);
    m.advance(1_999);
    expect(m.takeEffects()).toEqual([]);
    m.advance(1);
    expect(stageOrders(m.takeEffects())).toEqual([{ type: 'cut', showing_id: m.state.prepared!.showing.id }]);
    expect(m.waitMs()).toBeGreaterThan(1_000);
    m.showPrepared();
    expect(m.itemNames()).toEqual(['b', 'a']);
  });

  test('that lengthens the current item does not change its duration', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    m.hello();
    m.showPrepared();
    m.advance(5_000);
    m.takeEffects();
    m.setManifest({ playlists: { pl: [['a', 3_600], 'b', 'c'] } });
    m.advance(4_000);
    expect(m.takeEffects()).toEqual([]);
  });

  test('that does not change the current item affects neither it nor the prepared one', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    m.hello();
    m.showPrepared();
    m.takeEffects();
    m.setManifest({ playlists: { pl: ['a', 'b', 'c', 'd'] } });
    expect(stageOrders(m.takeEffects())).toEqual([]);
  });

  test('that drops the prepared item prepares another one', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    m.hello();
    m.showPrepared();
    m.takeEffects();
    m.setManifest({ playlists: { pl: ['a', 'c'] } });
    expect(stageOrders(m.takeEffects())).toMatchObject([{ type: 'prepare', cut: 'after_current' }]);
    expect(m.itemNames()).toEqual(['a', 'c']);
  });

  test('that drops the current item cuts to the next one', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    m.hello();
    m.showPrepared();
    m.takeEffects();
    m.setManifest({ playlists: { pl: ['b', 'c'] } });
    expect(stageOrders(m.takeEffects())).toEqual([{ type: 'cut', showing_id: m.state.prepared!.showing.id }]);
  });

  test('that changes the duration of the prepared item prepares it again', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    m.hello();
    m.showPrepared();
    m.takeEffects();
    m.setManifest({ playlists: { pl: ['a', ['b', 20], 'c'] } });
    expect(stageOrders(m.takeEffects())).toMatchObject([
      { type: 'prepare', showing: { duration_ms: 20_000 } },
    ]);
    expect(m.itemNames()).toEqual(['a', 'b']);
  });

  test('a transition to a showing that was just superseded is accepted', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    m.hello();
    m.showPrepared();
    const replaced = m.state.prepared!.showing;
    m.setManifest({ playlists: { pl: ['a', ['b', 20], 'c'] } });
    m.takeEffects();
    m.reportFromStage({ type: 'started', showing_id: replaced.id, ago_ms: 0 });
    expect(m.takeEffects()).toContainEqual(expect.objectContaining({ kind: 'started', showing: replaced }));
    expect(m.state.current?.showing.id).toBe(replaced.id);
  });

  test('losing the manifest clears the stage', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    m.hello();
    m.showPrepared();
    m.takeEffects();
    m.send({ kind: 'manifest_applied', compiledManifest: null, deviceId: '' });
    const effects = m.takeEffects();
    expect(stageOrders(effects)).toEqual([{ type: 'clear' }]);
    expect(endedEffects(effects)).toMatchObject([{ end: { reason: 'unpaired' } }]);
    expect(m.state.positions).toEqual({});
  });
});
