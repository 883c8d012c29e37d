import { DEFAULT_DISPLAY, toWireDisplay, VIDEO_CLASSES } from '@placard/protocol';
import type { DisplaySettings, Orientation } from '@placard/protocol';
import { describe, expect, test } from 'vitest';
import { rule, buildManifest, videoAsset } from '../../test/support/manifests.ts';
import { createMemoryDatabase } from '../../test/support/memory-database.ts';
import { createSimulatedPlayer, lastItem } from '../../test/support/simulated-player.ts';
import { createFullDiskDatabase } from '../../test/support/full-disk-database.ts';

test('a stored manifest that cannot be parsed any more is fetched again', async () => {
  const { clock, database, player, pairAndPlay } = createSimulatedPlayer();
  await pairAndPlay();
  await clock.advance(1_000);
  player.powerCut();
  const { held } = database.readManifests();
  database.saveTargetManifest({ ...held!, revision: 'old', organization: { timezone: 'Mars/Olympus_Mons' } });
  database.promoteTargetManifest();
  player.start();
  await clock.advance(5_000);
  expect(player.stage.current).not.toBe(null);
  expect(player.status()).toMatchObject({ held_revision: held!.revision });
});

test('a change to another playlist is reported to the cloud within seconds', async () => {
  const { clock, cloud, pairAndPlay } = createSimulatedPlayer();
  await pairAndPlay();
  await clock.advance(6_000);
  expect(lastItem(cloud.received.heartbeats)).toMatchObject({
    samples: [],
    state: { current: { playlist_id: 'pl' }, applied_manifest_revision: expect.stringMatching(/^rev_/) },
  });
});

test('drawn and dropped video frames are reported', async () => {
  const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
  await pairAndPlay();
  player.runtime.onStageMessage({ type: 'beat', frames: 1_000, dropped_frames: 7 });
  await clock.advance(60_000);
  expect(lastItem(cloud.received.heartbeats)?.state.frames).toEqual({ drawn: 993, dropped: 7 });
});

test('a schedule that cannot be shown is in the status beside the reason of the kept picture', async () => {
  const { clock, player, publish, pairAndPlay } = createSimulatedPlayer();
  await pairAndPlay();
  const before = player.stage.current;
  publish({
    playlists: { pl: ['a', 'b', 'c'], empty: [] },
    rules: [rule('rule_1', 'empty', '00:00', '24:00')],
  });
  await clock.advance(15_000);
  expect(player.stage.current).toBe(before);
  expect(player.status()).toMatchObject({
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

test('safe mode shows only images and raises a fault until it ends', async () => {
  const { clock, player, pairAndPlay, shownNames } = createSimulatedPlayer();
  await pairAndPlay({ playlists: { pl: ['a', ['film', 5]] }, assets: [videoAsset('film', 5)] });
  player.runtime.setSafeMode(true);
  await clock.advance(40_000);
  expect(new Set(shownNames())).toEqual(new Set(['a']));
  expect(player.status()).toMatchObject({ faults: [{ code: 'stage.safe_mode' }] });
  player.runtime.setSafeMode(false);
  await clock.advance(40_000);
  expect(shownNames()).toContain('film');
  expect(player.status()).toMatchObject({ faults: [] });
});

describe('a new manifest', () => {
  test('is pushed, downloaded and only then shown', async () => {
    const { clock, player, publish, pairAndPlay, shownNames } = createSimulatedPlayer();
    await pairAndPlay();
    const next = publish({ playlists: { pl: ['x', 'y'] } });
    await clock.advance(1_000);
    expect(player.status()).toMatchObject({ held_revision: next.revision, target_revision: next.revision });
    await clock.advance(20_000);
    expect(shownNames()).toEqual(['a', 'x', 'y', 'x']);
  });

  test('with a missing file plays without it and raises a fault', async () => {
    const { clock, player, publish, pairAndPlay, shownNames } = createSimulatedPlayer();
    await pairAndPlay();
    const next = publish({ playlists: { pl: ['x', 'gone', 'y'] } }, ['gone']);
    await clock.advance(40_000);
    expect(player.status()).toMatchObject({
      held_revision: next.revision,
      faults: [{ code: 'asset.gone', facts: { asset_ids: ['asset_gone'] } }],
    });
    expect(shownNames().slice(-3)).not.toContain('gone');
    expect(new Set(shownNames().slice(-3))).toEqual(new Set(['x', 'y']));
  });

  test('with no file that can be downloaded is not applied, and raises a fault', async () => {
    const { clock, player, publish, pairAndPlay, shownNames } = createSimulatedPlayer();
    await pairAndPlay();
    const held = player.status().held_revision;
    publish({ playlists: { pl: ['gone'] } }, ['gone']);
    await clock.advance(60_000);
    expect(player.status()).toMatchObject({ held_revision: held, blocked_by: 'asset.gone' });
    expect(new Set(shownNames().slice(-3))).toEqual(new Set(['a', 'b', 'c']));
  });
});

const manifestWith = (revision: string, display: Partial<DisplaySettings>, orientation: Orientation) => {
  const manifest = buildManifest({ revision, playlists: { pl: ['a', 'b', 'c'] } });
  const { device } = manifest;
  return {
    ...manifest,
    device: { ...device, orientation, display: toWireDisplay({ ...DEFAULT_DISPLAY, ...display }) },
  };
};

describe('the display configuration', () => {
  test('follows the manifest from the first one on, at every change, and for a page that reconnects', async () => {
    const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    expect(player.stage.lastConfigure).toEqual({
      type: 'configure',
      orientation: 'landscape',
      ...DEFAULT_DISPLAY,
    });
    const display = { fit: 'cover', background: 'blurred', fade_ms: 400, language: 'ja' } as const;
    cloud.setManifest(manifestWith('r2', display, 'portrait'));
    await clock.advance(1_000);
    const wanted = { type: 'configure', orientation: 'portrait', ...display };
    expect(player.stage.lastConfigure).toEqual(wanted);
    player.powerCut();
    cloud.unreachable = true;
    player.start();
    await clock.advance(1_000);
    expect(player.stage.lastConfigure).toEqual(wanted);
  });

  test('is reset when the device is unpaired', async () => {
    const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    cloud.setManifest(manifestWith('r2', { language: 'de' }, 'portrait'));
    await clock.advance(1_000);
    cloud.unpair();
    await clock.advance(2_000);
    expect(player.stage.lastConfigure).toEqual({
      type: 'configure',
      orientation: 'landscape',
      ...DEFAULT_DISPLAY,
    });
  });
});

test('the video capabilities of the page are in the status', async () => {
  const { player, pairAndPlay } = createSimulatedPlayer();
  await pairAndPlay();
  expect(player.status()).toMatchObject({ videos: null });
  const videos = [{ ...VIDEO_CLASSES[0]!, supported: true, smooth: true, power_efficient: false }];
  player.runtime.onStageMessage({ type: 'capabilities', videos });
  expect(player.status()).toMatchObject({ videos });
});

describe('a crash of the runtime', () => {
  test('keeps the picture, and the same play continues', async () => {
    const { clock, database, cloud, player, pairAndPlay, shownNames } = createSimulatedPlayer();
    await pairAndPlay();
    await clock.advance(4_000);
    const playing = lastItem(player.stage.shown);
    player.kill();
    await clock.advance(3_000);
    expect(player.stage.current).toBe(playing.url);
    player.start();
    await clock.advance(20_000);
    expect(shownNames()).toEqual(['a', 'b', 'c']);
    expect(cloud.received.plays.get(playing.id)).toMatchObject({ outcome: 'completed', duration_ms: 10_000 });
    expect(database.readUnfinishedPlays().open).toHaveLength(1);
  });

  test('together with the page ends the play at the last good time and continues with the next item', async () => {
    const { clock, cloud, player, pairAndPlay, shownNames } = createSimulatedPlayer();
    await pairAndPlay();
    await clock.advance(4_000);
    const playing = lastItem(player.stage.shown);
    player.powerCut();
    await clock.advance(3_600_000);
    player.start();
    await clock.advance(10_000);
    expect(shownNames().slice(0, 2)).toEqual(['a', 'b']);
    const play = cloud.received.plays.get(playing.id)!;
    expect(play.outcome).toBe('interrupted');
    expect(play.duration_ms).toBeLessThanOrEqual(5_000);
  });

  test('together with the page and the last good time leaves a play without duration', async () => {
    const innerDatabase = createMemoryDatabase();
    let forgotten = false;
    const readLastGoodTime = () => (forgotten ? null : innerDatabase.readLastGoodTime());
    const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer({
      database: { ...innerDatabase, readLastGoodTime },
    });
    await pairAndPlay();
    await clock.advance(4_000);
    const playing = lastItem(player.stage.shown);
    player.powerCut();
    forgotten = true;
    await clock.advance(3_600_000);
    player.start();
    await clock.advance(10_000);
    expect(cloud.received.plays.get(playing.id)).toMatchObject({ outcome: 'interrupted', duration_ms: 0 });
  });

  test('loses nothing that the page had reported and that was not saved', async () => {
    const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer({
      shouldFail: (name) => name === 'b',
    });
    await pairAndPlay();
    await clock.advance(4_000);
    const playing = lastItem(player.stage.shown);
    // The end of the first showing and the start of the next are lost with the runtime.
    player.dropsStageMessages = true;
    await clock.advance(7_000);
    const next = lastItem(player.stage.shown);
    expect(next.id).not.toBe(playing.id);
    player.kill();
    player.dropsStageMessages = false;
    player.start();
    await clock.advance(20_000);
    expect(cloud.received.plays.get(playing.id)).toMatchObject({ outcome: 'completed', duration_ms: 10_000 });
    expect(cloud.received.plays.get(next.id)).toMatchObject({ outcome: 'completed', duration_ms: 10_000 });
    const begun = (id: string) => Date.parse(cloud.received.plays.get(id)!.started_at);
    expect(begun(next.id) - begun(playing.id)).toBe(10_000);
    expect(cloud.received.duplicatePlays).toBe(0);
  });

  test('after a full disk makes the page repeat the reports that could not be saved', async () => {
    const { database, disk } = createFullDiskDatabase('savePreparedShowing', 'savePlayStart', 'savePlayEnd');
    const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer({ database });
    await pairAndPlay();
    const playing = lastItem(player.stage.shown);
    disk.full = true;
    await clock.advance(12_000);
    expect(player.status()).toMatchObject({ faults: [{ code: 'disk.full' }] });
    player.kill();
    disk.full = false;
    player.start();
    await clock.advance(20_000);
    expect(cloud.received.plays.get(playing.id)).toMatchObject({ outcome: 'completed', duration_ms: 10_000 });
  });

  test('after a full disk that has meanwhile accepted all writes counts nothing as lost', async () => {
    const { database, disk } = createFullDiskDatabase('transaction');
    const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer({ database });
    await pairAndPlay();
    disk.full = true;
    const first = lastItem(player.stage.shown);
    await clock.advance(24_000);
    disk.full = false;
    await clock.advance(2_000);
    expect(lastItem(database.readPendingPlays(10)).id).not.toBe(first.id);
    player.kill();
    player.start();
    await clock.advance(20_000);
    expect(cloud.received.plays.get(first.id)).toMatchObject({ outcome: 'completed', duration_ms: 10_000 });
    expect(database.readDroppedPlays()).toBe(null);
  });

  test('shuts down in order within five seconds', async () => {
    const { clock, player, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    let stopped = false;
    const stopping = player.stop().then(() => (stopped = true));
    await clock.advance(1_000);
    expect(stopped).toBe(true);
    await stopping;
  });
});

/** `npm run test:large` sets 5,000. */
const MANY = Number(process.env.PLACARD_MANY_FILES ?? 1_500);

test(`a manifest of ${MANY} files is downloaded completely, and plays from the first file on`, async () => {
  const { clock, player, media, publish, cloud } = createSimulatedPlayer();
  const names = Array.from({ length: MANY }, (_, index) => `n${index}`);
  publish({ playlists: { pl: names } });
  player.start();
  cloud.confirmPairing();
  await clock.advanceUntil(() => player.stage.current !== null, 60_000);
  await clock.advanceUntil(() => media.cachedHashes().size === MANY, 600_000);
  expect(player.status()).toMatchObject({ blocked_by: null, faults: [] });
}, 180_000);
