import { describe, expect, test } from 'vitest';
import { sha256Of, videoAsset } from '../../../test/support/manifests.ts';
import {
  THREE_IMAGES,
  START_MS,
  endedEffects,
  createPlaybackDriver,
  stageOrders,
} from '../../../test/support/playback-driver.ts';

describe('one playlist', () => {
  test('the first item is prepared when a page and a manifest are present, and shown as soon as it is ready', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    expect(stageOrders(m.takeEffects())).toEqual([]);
    m.hello();
    expect(stageOrders(m.takeEffects())).toMatchObject([
      {
        type: 'prepare',
        cut: 'when_ready',
        showing: { kind: 'image', url: `/media/${sha256Of('a')}`, duration_ms: 10_000 },
      },
    ]);
  });

  test('the next item is always prepared while one is on the screen', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    m.hello();
    const seen: unknown[] = [];
    for (let i = 0; i < 7; i++) {
      m.showPrepared();
      seen.push(m.itemNames());
      m.advance(10_000);
    }
    expect(seen).toEqual([
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
      ['a', 'b'],
      ['b', 'c'],
      ['c', 'a'],
      ['a', 'b'],
    ]);
    expect(stageOrders(m.takeEffects()).slice(1)).toSatisfy((list: { type: string; cut: string }[]) =>
      list.every((order) => order.type === 'prepare' && order.cut === 'after_current'),
    );
  });

  test('every showing opens one play and closes it with the duration that the page measured', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    m.hello();
    const first = m.showPrepared();
    m.takeEffects();
    m.advance(10_000);
    const second = m.showPrepared();
    const effects = m.takeEffects();
    expect(endedEffects(effects)).toMatchObject([
      {
        showing: { id: first, contentId: 'asset_a' },
        startedAtMs: START_MS,
        end: { endedAtMs: START_MS + 10_000, durationMs: 10_000, outcome: 'completed', reason: null },
      },
    ]);
    expect(effects).toContainEqual(
      expect.objectContaining({ kind: 'started', startedAtMs: START_MS + 10_000 }),
    );
    expect(m.state.current?.showing.id).toBe(second);
  });

  test('an end reported after the next start still counts', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    m.hello();
    const first = m.showPrepared();
    m.advance(10_000);
    const next = m.state.prepared!.showing.id;
    m.reportFromStage({ type: 'started', showing_id: next, ago_ms: 0 });
    m.takeEffects();
    m.reportFromStage({
      type: 'ended',
      showing_id: first,
      ago_ms: 5,
      shown_ms: 9_998,
      outcome: 'completed',
      reason: null,
    });
    expect(endedEffects(m.takeEffects())).toMatchObject([
      { showing: { id: first }, end: { durationMs: 9_998 } },
    ]);
    m.reportFromStage({
      type: 'ended',
      showing_id: first,
      ago_ms: 5,
      shown_ms: 9_998,
      outcome: 'completed',
      reason: null,
    });
    expect(endedEffects(m.takeEffects())).toEqual([]);
  });

  test('a showing whose end is never reported is closed from known times', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    m.hello();
    const first = m.showPrepared();
    m.advance(10_000);
    m.reportFromStage({ type: 'started', showing_id: m.state.prepared!.showing.id, ago_ms: 0 });
    m.takeEffects();
    m.advance(m.waitMs());
    expect(endedEffects(m.takeEffects())).toMatchObject([
      { showing: { id: first }, end: { durationMs: 10_000, outcome: 'completed' } },
    ]);
  });

  test('an item without its file is skipped until the file has arrived', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES, ['b']);
    m.hello();
    m.showPrepared();
    expect(m.itemNames()).toEqual(['a', 'c']);
    m.send({ kind: 'media_changed', cached: new Set(['a', 'b', 'c'].map(sha256Of)) });
    m.advance(10_000);
    m.showPrepared();
    m.advance(10_000);
    m.showPrepared();
    expect(m.itemNames()).toEqual(['a', 'b']);
  });

  test('a video without a duration plays to its end', () => {
    const m = createPlaybackDriver();
    m.setManifest({ playlists: { pl: [['film', null]] }, assets: [videoAsset('film', 12.5)] });
    m.hello();
    expect(stageOrders(m.takeEffects())).toMatchObject([
      { showing: { kind: 'video', duration_ms: null, video_end_ms: 12_500 } },
    ]);
  });
});

describe('behind a message that covers the stage', () => {
  test('the first showing is prepared, and shown when the message is gone', () => {
    const m = createPlaybackDriver();
    m.send({ kind: 'start_hold', untilMonoMs: 5_000 });
    m.setManifest(THREE_IMAGES);
    m.hello();
    expect(stageOrders(m.takeEffects())).toMatchObject([{ type: 'prepare', cut: 'on_command' }]);
    const { id } = m.state.prepared!.showing;
    m.reportFromStage({ type: 'ready', showing_id: id });
    expect(m.waitMs()).toBe(5_000);
    m.advance(4_999);
    expect(m.takeEffects()).toEqual([]);
    m.advance(1);
    expect(stageOrders(m.takeEffects())).toEqual([{ type: 'cut', showing_id: id }]);
  });

  test('nothing waits for a message in the past', () => {
    const m = createPlaybackDriver({ atMs: 5_000 });
    m.send({ kind: 'start_hold', untilMonoMs: 5_000 });
    m.setManifest(THREE_IMAGES);
    m.hello();
    expect(stageOrders(m.takeEffects())).toMatchObject([{ type: 'prepare', cut: 'when_ready' }]);
  });
});

describe('in safe mode', () => {
  const MIXED = {
    playlists: { pl: ['a', ['film', null], 'c'] as ['a', ['film', null], 'c'] },
    assets: [videoAsset('film', 12)],
  };

  test('videos are skipped, and shown again afterwards', () => {
    const m = createPlaybackDriver();
    m.send({ kind: 'images_only', enabled: true });
    m.setManifest(MIXED);
    m.hello();
    m.showPrepared();
    expect(m.itemNames()).toEqual(['a', 'c']);
    m.send({ kind: 'images_only', enabled: false });
    m.showPrepared();
    m.showPrepared();
    expect(m.itemNames()).toEqual(['a', 'film']);
  });

  test('a video on the screen is replaced as soon as an image is ready', () => {
    const m = createPlaybackDriver();
    m.setManifest(MIXED);
    m.hello();
    m.showPrepared();
    m.advance(10_000);
    m.showPrepared();
    expect(m.itemNames()).toEqual(['film', 'c']);
    m.takeEffects();
    m.send({ kind: 'images_only', enabled: true });
    expect(stageOrders(m.takeEffects())).toEqual([{ type: 'cut', showing_id: m.state.prepared!.showing.id }]);
  });

  test('a playlist of videos leaves the picture on the screen and is reported as not playable', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    m.hello();
    m.showPrepared();
    m.send({ kind: 'images_only', enabled: true });
    m.setManifest({ playlists: { pl: [['film', null]] }, assets: [videoAsset('film', 12)] });
    expect(m.state).toMatchObject({ nothingPlayable: true, hasPicture: true });
  });
});

describe('what cannot be shown', () => {
  test('a failed item is reported, verified, skipped and tried again later', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    m.hello();
    m.showPrepared();
    m.takeEffects();
    m.reportFromStage({
      type: 'failed',
      showing_id: m.state.prepared!.showing.id,
      reason: 'decode_failed',
      detail: '',
    });
    const effects = m.takeEffects();
    expect(endedEffects(effects)).toMatchObject([
      {
        showing: { contentId: 'asset_b' },
        end: { outcome: 'failed', reason: 'decode_failed', durationMs: 0 },
      },
    ]);
    expect(effects).toContainEqual({ kind: 'recheck_media', sha256: sha256Of('b'), reason: 'decode_failed' });
    expect(m.itemNames()).toEqual(['a', 'c']);
    m.advance(10_000);
    m.showPrepared();
    expect(m.itemNames()).toEqual(['c', 'a']);
    m.advance(30_000);
    m.showPrepared();
    expect(m.itemNames()).toEqual(['a', 'b']);
  });

  test('the wait doubles with every failure, up to half an hour', () => {
    const m = createPlaybackDriver();
    m.setManifest({ playlists: { pl: ['a'] } });
    m.hello();
    const waits: number[] = [];
    for (let i = 0; i < 9; i++) {
      m.reportFromStage({
        type: 'failed',
        showing_id: m.state.prepared!.showing.id,
        reason: 'decode_failed',
        detail: '',
      });
      const before = m.elapsedMs();
      while (!m.state.prepared) {
        m.advance(m.waitMs());
      }
      waits.push((m.elapsedMs() - before) / 1_000);
    }
    expect(waits).toEqual([30, 60, 120, 240, 480, 960, 1_800, 1_800, 1_800]);
  });

  test('an item that was shown in between starts with the shortest wait when it fails again', () => {
    const m = createPlaybackDriver();
    m.setManifest({ playlists: { pl: ['a'] } });
    m.hello();
    for (let i = 0; i < 3; i++) {
      m.reportFromStage({
        type: 'failed',
        showing_id: m.state.prepared!.showing.id,
        reason: 'decode_failed',
        detail: '',
      });
      while (!m.state.prepared) {
        m.advance(m.waitMs());
      }
    }
    m.showPrepared();
    expect(m.state.failures).toEqual({});
  });

  test('no play ends before it starts, even when the clock is set back', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    m.hello();
    const id = m.showPrepared();
    m.takeEffects();
    m.reportFromStage({
      type: 'ended',
      showing_id: id,
      ago_ms: 60_000,
      shown_ms: 1_000,
      outcome: 'completed',
      reason: null,
    });
    expect(endedEffects(m.takeEffects())).toMatchObject([
      { startedAtMs: START_MS, end: { endedAtMs: START_MS } },
    ]);
  });

  test('when all items fail the last picture stays and a fault is raised', () => {
    const m = createPlaybackDriver();
    m.setManifest({ playlists: { pl: ['a', 'b'] } });
    m.hello();
    m.showPrepared();
    for (let i = 0; i < 2; i++) {
      m.reportFromStage({
        type: 'failed',
        showing_id: m.state.prepared!.showing.id,
        reason: 'decode_failed',
        detail: '',
      });
    }
    expect(m.state).toMatchObject({ prepared: null, hasPicture: true, nothingPlayable: true });
    expect(stageOrders(m.takeEffects()).some((order) => order.type === 'clear')).toBe(false);
    m.advance(30_001);
    expect(m.state).toMatchObject({
      nothingPlayable: false,
      prepared: { showing: { contentId: 'asset_b' } },
    });
  });

  test('a newly downloaded file of a failed item is tried at once', () => {
    const m = createPlaybackDriver();
    m.setManifest({ playlists: { pl: ['a'] } });
    m.hello();
    m.reportFromStage({
      type: 'failed',
      showing_id: m.state.prepared!.showing.id,
      reason: 'not_found',
      detail: '',
    });
    m.send({ kind: 'media_changed', cached: new Set() });
    expect(m.state.prepared).toBe(null);
    m.send({ kind: 'media_changed', cached: new Set([sha256Of('a')]) });
    expect(m.state.prepared?.showing.contentId).toBe('asset_a');
  });

  test('a failed item is no longer a fault once no playlist contains it', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    m.hello();
    m.showPrepared();
    m.reportFromStage({
      type: 'failed',
      showing_id: m.state.prepared!.showing.id,
      reason: 'decode_failed',
      detail: '',
    });
    m.setManifest({ playlists: { pl: ['a', 'b'] } });
    expect(Object.keys(m.state.failures)).toEqual([sha256Of('b')]);
    m.setManifest({ playlists: { pl: ['a', 'c'] } });
    expect(m.state.failures).toEqual({});
  });

  test('a video that stalls on the screen is a failed play, and the next one takes over', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    m.hello();
    const first = m.showPrepared();
    m.takeEffects();
    m.reportFromStage({
      type: 'ended',
      showing_id: first,
      ago_ms: 0,
      shown_ms: 4_000,
      outcome: 'failed',
      reason: 'stalled',
    });
    expect(endedEffects(m.takeEffects())).toMatchObject([
      { end: { outcome: 'failed', reason: 'stalled', durationMs: 4_000 } },
    ]);
    expect(m.state.failures[sha256Of('a')]).toMatchObject({ attempts: 1 });
    expect(m.itemNames()).toEqual(['a', 'b']);
  });

  test('a page that never responds counts as failed after a minute', () => {
    const m = createPlaybackDriver();
    m.setManifest(THREE_IMAGES);
    m.hello();
    m.takeEffects();
    m.advance(60_001);
    expect(endedEffects(m.takeEffects())).toMatchObject([{ end: { outcome: 'failed', reason: 'timeout' } }]);
    expect(m.itemNames()).toEqual([null, 'b']);
  });
});
