import { DEFAULT_DISPLAY, type DisplaySettings, type Orientation } from '@placard/protocol';
import { describe, expect, test } from 'vitest';
import { rule, sketchManifest, videoAsset } from '../../test/support/manifests.ts';
import { createMemoryStore } from '../../test/support/memory-store.ts';
import { house, lastOf } from '../../test/support/simulated-house.ts';
import { createTightStore } from '../../test/support/tight-store.ts';

test('a manifest on the disk that cannot be understood any more is fetched anew', async () => {
  const { clock, store, box, settle } = house();
  await settle();
  await clock.advance(1_000);
  box.powerCut();
  const { held } = store.readManifests();
  store.saveTarget({ ...held!, revision: 'old', organization: { timezone: 'Mars/Olympus_Mons' } });
  store.promoteTarget();
  box.start();
  await clock.advance(5_000);
  expect(box.stage.current).not.toBe(null);
  expect(box.status()).toMatchObject({ held_revision: held!.revision });
});

test('a screen that changes to another playlist tells the cloud within seconds', async () => {
  const { clock, cloud, settle } = house();
  await settle();
  await clock.advance(6_000);
  expect(lastOf(cloud.seen.heartbeats)).toMatchObject({
    samples: [],
    state: { current: { playlist_id: 'pl' }, applied_manifest_revision: expect.stringMatching(/^rev_/) },
  });
});

test('a screen tells how many video frames its page has drawn and missed', async () => {
  const { clock, cloud, box, settle } = house();
  await settle();
  box.runtime.fromStage({ type: 'beat', frames: 1_000, dropped_frames: 7 });
  await clock.advance(60_000);
  expect(lastOf(cloud.seen.heartbeats)?.state.frames).toEqual({ drawn: 993, dropped: 7 });
});

test('a schedule whose playlist cannot be shown is told beside the reason of the picture that stays', async () => {
  const { clock, box, publish, settle } = house();
  await settle();
  const before = box.stage.current;
  publish({
    playlists: { pl: ['a', 'b', 'c'], empty: [] },
    rules: [rule('rule_1', 'empty', '00:00', '24:00')],
  });
  await clock.advance(15_000);
  expect(box.stage.current).toBe(before);
  expect(box.status()).toMatchObject({
    now_playing: { playlist_id: 'pl' },
    playing_because: {
      source: 'kept',
      schedule_id: null,
      rule_id: null,
      instead_of: { playlist_id: 'empty', source: 'schedule', schedule_id: 'sch_1', rule_id: 'rule_1' },
    },
    faults: [{ code: 'playback.nothing_playable', facts: { playlist_id: 'empty' } }],
  });
});

test('safe mode shows images alone and says so until it is over', async () => {
  const { clock, box, settle, shown } = house();
  await settle({ playlists: { pl: ['a', ['film', 5]] }, assets: [videoAsset('film', 5)] });
  box.runtime.safeMode(true);
  await clock.advance(40_000);
  expect(new Set(shown())).toEqual(new Set(['a']));
  expect(box.status()).toMatchObject({ faults: [{ code: 'stage.safe_mode' }] });
  box.runtime.safeMode(false);
  await clock.advance(40_000);
  expect(shown()).toContain('film');
  expect(box.status()).toMatchObject({ faults: [] });
});

describe('a new manifest', () => {
  test('is pushed, downloaded and only then shown', async () => {
    const { clock, box, publish, settle, shown } = house();
    await settle();
    const next = publish({ playlists: { pl: ['x', 'y'] } });
    await clock.advance(1_000);
    expect(box.status()).toMatchObject({ held_revision: next.revision, target_revision: next.revision });
    await clock.advance(20_000);
    expect(shown()).toEqual(['a', 'x', 'y', 'x']);
  });

  test('of which a file is gone plays without it, and says so', async () => {
    const { clock, box, publish, settle, shown } = house();
    await settle();
    const next = publish({ playlists: { pl: ['x', 'gone', 'y'] } }, ['gone']);
    await clock.advance(40_000);
    expect(box.status()).toMatchObject({
      held_revision: next.revision,
      faults: [{ code: 'asset.gone', facts: { asset_ids: ['asset_gone'] } }],
    });
    expect(shown().slice(-3)).not.toContain('gone');
    expect(new Set(shown().slice(-3))).toEqual(new Set(['x', 'y']));
  });

  test('of which nothing can be had does not take over, and says why', async () => {
    const { clock, box, publish, settle, shown } = house();
    await settle();
    const held = box.status().held_revision;
    publish({ playlists: { pl: ['gone'] } }, ['gone']);
    await clock.advance(60_000);
    expect(box.status()).toMatchObject({ held_revision: held, blocked_by: 'asset.gone' });
    expect(new Set(shown().slice(-3))).toEqual(new Set(['a', 'b', 'c']));
  });
});

const as = (revision: string, display: Partial<DisplaySettings>, orientation: Orientation) => {
  const manifest = sketchManifest({ revision, playlists: { pl: ['a', 'b', 'c'] } });
  const { device } = manifest;
  return { ...manifest, device: { ...device, orientation, display: { ...DEFAULT_DISPLAY, ...display } } };
};

describe('how the page shows things', () => {
  test('is what the manifest says, from the first one on, at every change, and for a page that comes back', async () => {
    const { clock, cloud, box, settle } = house();
    await settle();
    expect(box.stage.configured).toEqual({ type: 'configure', orientation: 'landscape', ...DEFAULT_DISPLAY });
    const display = { fit: 'cover', ground: 'blurred', fade_ms: 400, language: 'ja' } as const;
    cloud.setManifest(as('r2', display, 'portrait'));
    await clock.advance(1_000);
    const wanted = { type: 'configure', orientation: 'portrait', ...display };
    expect(box.stage.configured).toEqual(wanted);
    box.powerCut();
    cloud.away = true;
    box.start();
    await clock.advance(1_000);
    expect(box.stage.configured).toEqual(wanted);
  });

  test('is forgotten with the device', async () => {
    const { clock, cloud, box, settle } = house();
    await settle();
    cloud.setManifest(as('r2', { language: 'de' }, 'portrait'));
    await clock.advance(1_000);
    cloud.unpair();
    await clock.advance(2_000);
    expect(box.stage.configured).toEqual({ type: 'configure', orientation: 'landscape', ...DEFAULT_DISPLAY });
  });
});

test('what the page can decode is in the status', async () => {
  const { box, settle } = house();
  await settle();
  expect(box.status()).toMatchObject({ videos: null });
  const videos = [
    {
      codec: 'h264' as const,
      width: 1920,
      height: 1080,
      supported: true,
      smooth: true,
      power_efficient: false,
    },
  ];
  box.runtime.fromStage({ type: 'capabilities', videos });
  expect(box.status()).toMatchObject({ videos });
});

describe('a death of the runtime', () => {
  test('leaves the picture up, and the same play goes on', async () => {
    const { clock, store, cloud, box, settle, shown } = house();
    await settle();
    await clock.advance(4_000);
    const playing = lastOf(box.stage.shown);
    box.kill();
    await clock.advance(3_000);
    expect(box.stage.current).toBe(playing.url);
    box.start();
    await clock.advance(20_000);
    expect(shown()).toEqual(['a', 'b', 'c']);
    expect(cloud.seen.plays.get(playing.id)).toMatchObject({ outcome: 'completed', duration_ms: 10_000 });
    expect(store.unfinishedPlays().open).toHaveLength(1);
  });

  test('together with the page closes the play at the last known time and goes on with the next item', async () => {
    const { clock, cloud, box, settle, shown } = house();
    await settle();
    await clock.advance(4_000);
    const playing = lastOf(box.stage.shown);
    box.powerCut();
    await clock.advance(3_600_000);
    box.start();
    await clock.advance(10_000);
    expect(shown().slice(0, 2)).toEqual(['a', 'b']);
    const play = cloud.seen.plays.get(playing.id)!;
    expect(play.outcome).toBe('interrupted');
    expect(play.duration_ms).toBeLessThanOrEqual(5_000);
  });

  test('together with the page, and with the last known time, leaves no more of the play than that it began', async () => {
    const kept = createMemoryStore();
    let forgotten = false;
    const readLastGoodTime = () => (forgotten ? null : kept.readLastGoodTime());
    const { clock, cloud, box, settle } = house({ store: { ...kept, readLastGoodTime } });
    await settle();
    await clock.advance(4_000);
    const playing = lastOf(box.stage.shown);
    box.powerCut();
    forgotten = true;
    await clock.advance(3_600_000);
    box.start();
    await clock.advance(10_000);
    expect(cloud.seen.plays.get(playing.id)).toMatchObject({ outcome: 'interrupted', duration_ms: 0 });
  });

  test('takes nothing with it that the page had told and nobody had written down', async () => {
    const { clock, cloud, box, settle } = house({ fails: (name) => name === 'b' });
    await settle();
    await clock.advance(4_000);
    const playing = lastOf(box.stage.shown);
    // The end of the first one and the beginning of the next go down with the runtime.
    box.lossy = true;
    await clock.advance(7_000);
    const next = lastOf(box.stage.shown);
    expect(next.id).not.toBe(playing.id);
    box.kill();
    box.lossy = false;
    box.start();
    await clock.advance(20_000);
    expect(cloud.seen.plays.get(playing.id)).toMatchObject({ outcome: 'completed', duration_ms: 10_000 });
    expect(cloud.seen.plays.get(next.id)).toMatchObject({ outcome: 'completed', duration_ms: 10_000 });
    const begun = (id: string) => Date.parse(cloud.seen.plays.get(id)!.started_at);
    expect(begun(next.id) - begun(playing.id)).toBe(10_000);
    expect(cloud.seen.playsTwice).toBe(0);
  });

  test('after a full disk has the page tell again what could not be written', async () => {
    const { store, disk } = createTightStore('playPrepared', 'playStarted', 'playEnded');
    const { clock, cloud, box, settle } = house({ store });
    await settle();
    const playing = lastOf(box.stage.shown);
    disk.full = true;
    await clock.advance(12_000);
    expect(box.status()).toMatchObject({ faults: [{ code: 'disk.full' }] });
    box.kill();
    disk.full = false;
    box.start();
    await clock.advance(20_000);
    expect(cloud.seen.plays.get(playing.id)).toMatchObject({ outcome: 'completed', duration_ms: 10_000 });
  });

  test('after a full disk that has taken everything meanwhile counts nothing as lost', async () => {
    const { store, disk } = createTightStore('together');
    const { clock, cloud, box, settle } = house({ store });
    await settle();
    disk.full = true;
    const first = lastOf(box.stage.shown);
    await clock.advance(24_000);
    disk.full = false;
    await clock.advance(2_000);
    expect(lastOf(store.pendingPlays(10)).id).not.toBe(first.id);
    box.kill();
    box.start();
    await clock.advance(20_000);
    expect(cloud.seen.plays.get(first.id)).toMatchObject({ outcome: 'completed', duration_ms: 10_000 });
    expect(store.readDropped()).toBe(null);
  });

  test('stops in order within five seconds', async () => {
    const { clock, box, settle } = house();
    await settle();
    let stopped = false;
    const stopping = box.stop().then(() => (stopped = true));
    await clock.advance(1_000);
    expect(stopped).toBe(true);
    await stopping;
  });
});

test('a manifest of 5,000 files is worked through, and plays from the first one on', async () => {
  const { clock, box, media, publish, cloud } = house();
  const names = Array.from({ length: 5_000 }, (_, index) => `n${index}`);
  publish({ playlists: { pl: names } });
  box.start();
  cloud.confirm();
  await clock.advanceUntil(() => box.stage.current !== null, 60_000);
  await clock.advanceUntil(() => media.held().size === 5_000, 600_000);
  expect(box.status()).toMatchObject({ blocked_by: null, faults: [] });
}, 180_000);
