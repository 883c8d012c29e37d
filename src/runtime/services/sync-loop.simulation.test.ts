import { Fault } from '@placard/protocol';
import { describe, expect, test, vi } from 'vitest';
import { createMemoryDatabase } from '../../../test/support/memory-database.ts';
import { createSimulatedPlayer, SLOW_PLAYLIST } from '../../../test/support/simulated-player.ts';

const HOUR_MS = 3_600_000;
// Simulated hours take seconds, and longer on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const bytesOf = (name: string) => Buffer.from(name);

describe('a manifest with a file that cannot be downloaded', () => {
  const NEXT = { revision: 'r_next', playlists: { pl: ['x', 'y', 'z'] } };

  test('leaves the previous playlist on the screen while the connection is bad', async () => {
    const { clock, player, media, publish, pairAndPlay, shownNames } = createSimulatedPlayer();
    await pairAndPlay({ playlists: SLOW_PLAYLIST });
    const next = publish(NEXT);
    const cut = new Fault('asset.download_failed', 'later', { reason: 'cut off' });
    media.setDownload(next.assets[2]!.url, cut);
    await clock.advance(6 * HOUR_MS);
    expect(player.status()).toMatchObject({
      target_revision: 'r_next',
      blocked_by: 'asset.download_failed',
      faults: [{ code: 'asset.download_failed', facts: { asset_ids: ['asset_z'] } }],
    });
    expect(new Set(shownNames())).toEqual(new Set(['a', 'b', 'c']));
    media.setDownload(next.assets[2]!.url, bytesOf('z'));
    await clock.advance(10 * 60_000);
    expect(player.status()).toMatchObject({ held_revision: 'r_next', blocked_by: null, faults: [] });
  });

  test('does not add up failures of different kinds', async () => {
    const { clock, player, media, publish, pairAndPlay, shownNames } = createSimulatedPlayer();
    await pairAndPlay({ revision: 'rev_held', playlists: SLOW_PLAYLIST });
    const late = publish(NEXT).assets[2]!;
    const unavailable = new Fault('asset.download_failed', 'later', { status: 503 });
    const wrong = new Fault('asset.hash_mismatch', 'later');
    const cut = new Fault('asset.download_failed', 'later', { reason: 'cut off' });
    const answers = [unavailable, unavailable, unavailable, unavailable, unavailable, wrong, wrong];
    const fetch = media.fetch.bind(media);
    media.fetch = (asset, signal) => {
      if (asset.id === late.id) {
        media.setDownload(asset.url, answers.shift() ?? cut);
      }
      return fetch(asset, signal);
    };
    await clock.advance(6 * HOUR_MS);
    expect(answers).toEqual([]);
    expect(player.status()).toMatchObject({ target_revision: 'r_next', held_revision: 'rev_held' });
    expect(new Set(shownNames())).toEqual(new Set(['a', 'b', 'c']));
    answers.push(wrong);
    await clock.advance(HOUR_MS);
    expect(player.status()).toMatchObject({ held_revision: 'r_next' });
  });

  test('is applied within two hours when the server asked for a pause of a day', async () => {
    const { clock, player, media, publish, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    const next = publish(NEXT);
    const pause = new Fault('asset.download_failed', { afterMs: 24 * HOUR_MS }, { status: 503 });
    media.setDownload(next.assets[2]!.url, pause);
    await clock.advance(10_000);
    media.setDownload(next.assets[2]!.url, bytesOf('z'));
    await clock.advance(2 * HOUR_MS);
    expect(player.status()).toMatchObject({ held_revision: 'r_next', blocked_by: null });
  });

  test('is shown without the file after hours of refusals', async () => {
    const { clock, player, media, publish, pairAndPlay, shownNames } = createSimulatedPlayer();
    await pairAndPlay();
    const next = publish(NEXT);
    media.setDownload(next.assets[2]!.url, new Fault('asset.download_failed', 'later', { status: 500 }));
    await clock.advance(HOUR_MS);
    expect(player.status()).toMatchObject({ target_revision: 'r_next', blocked_by: 'asset.download_failed' });
    expect(new Set(shownNames())).toEqual(new Set(['a', 'b', 'c']));
    await clock.advanceUntil(() => player.status().held_revision === 'r_next', 12 * HOUR_MS, 60_000);
    await clock.advance(30_000);
    expect(new Set(shownNames().slice(-3))).toEqual(new Set(['x', 'y']));
  });
});

test('faults of a device are cleared when it is unpaired', async () => {
  const { clock, cloud, player, publish, pairAndPlay } = createSimulatedPlayer();
  await pairAndPlay();
  publish({ revision: 'r_next', playlists: { pl: ['x', 'y'] } }, ['y']);
  await clock.advance(60_000);
  expect(player.status()).toMatchObject({ faults: [{ code: 'asset.gone' }] });
  cloud.unpair();
  await clock.advanceUntil(() => player.status().state === 'pairing', 60_000);
  expect(player.status()).toMatchObject({ faults: [] });
});

test('a manifest that cannot be saved raises a fault until it can, and is fetched again', async () => {
  const database = createMemoryDatabase();
  const save = database.saveTargetManifest.bind(database);
  let full = false;
  database.saveTargetManifest = (manifest) => {
    if (full) {
      throw new Fault('disk.full', 'later', { file: 'player.sqlite' });
    }
    save(manifest);
  };
  const { clock, cloud, player, publish, pairAndPlay, shownNames } = createSimulatedPlayer({ database });
  await pairAndPlay();
  full = true;
  publish({ revision: 'r_next', playlists: { pl: ['x', 'y'] } });
  const isDiskFullReported = () => JSON.stringify(player.status().faults).includes('disk.full');
  await clock.advanceUntil(isDiskFullReported, 60_000);
  const asked = cloud.received.manifestRequests;
  for (let second = 0; second < 600; second++) {
    await clock.advance(1_000);
    expect(isDiskFullReported()).toBe(true);
  }
  expect(cloud.received.manifestRequests - asked).toBeGreaterThan(5);
  expect(new Set(shownNames())).toEqual(new Set(['a', 'b', 'c']));
  full = false;
  await clock.advance(120_000);
  expect(player.status()).toMatchObject({ held_revision: 'r_next', faults: [] });
});
