import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Manifest } from '@placard/protocol';
import { expect, test, vi } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { sha256Of, buildManifest } from '../../../test/support/manifests.ts';
import { createMediaCacheFixture } from '../../../test/support/media-cache-fixture.ts';
import { createMemoryCloud } from '../../../test/support/memory-cloud.ts';
import { openPlayerDatabase } from '../../../test/support/open-player-database.ts';
import { createPlayerHarness } from '../../../test/support/player-harness.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';

// Real files take seconds, and longer on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

/** `npm run test:large` sets 5,000. */
const MANY = Number(process.env.PLACARD_MANY_FILES ?? 200);

/** A player with real files and a real media server, on a clock that the test moves. */
async function realMedia(maxCacheBytes: number | null = null) {
  const clock = createManualClock();
  const dir = tempDir();
  const database = openPlayerDatabase(dir);
  const cloud = createMemoryCloud({ clock });
  const folder = await createMediaCacheFixture(join(dir, 'media'));
  const media = await folder.openCache(database, { maxCacheBytes });
  const player = createPlayerHarness({ clock, database, media, cloud });
  const manifest = (revision: string, names: string[]): Manifest => ({
    ...buildManifest({ revision, playlists: { pl: names } }),
    assets: names.map((name) => folder.createAsset(name)),
  });
  return {
    server: folder.cloud,
    player,
    media,
    cloud,
    manifest,
    /** Advances both clocks until the condition holds. */
    advanceUntil: (what: string, is: () => boolean, stepMs = 2_000) =>
      waitUntil(
        what,
        async () => {
          await clock.advance(stepMs);
          return is();
        },
        300_000,
        10,
      ),
  };
}

test(`a manifest of ${MANY} files is downloaded in the order of need, two files at a time`, async () => {
  const { server, player, media, cloud, manifest, advanceUntil } = await realMedia();
  const next = manifest(
    'r1',
    Array.from({ length: MANY }, (_, index) => `file ${index}`),
  );
  const begun: string[] = [];
  let running = 0;
  let most = 0;
  const fetch = media.fetch.bind(media);
  media.fetch = async (asset, signal) => {
    begun.push(asset.id);
    most = Math.max(most, (running += 1));
    await fetch(asset, signal).finally(() => (running -= 1));
  };
  cloud.setManifest(next);
  player.start();
  cloud.confirmPairing();
  await advanceUntil('all files', () => media.cachedHashes().size === MANY);
  expect(begun).toEqual(next.assets.map((asset) => asset.id));
  expect(most).toBe(2);
  expect(server.received.mediaRequests).toHaveLength(MANY);
  expect(player.status()).toMatchObject({ held_revision: 'r1', blocked_by: null, faults: [] });
}, 600_000);

const WRONG: [string, (bytes: string, response: ServerResponse) => void][] = [
  ['truncated bodies', (bytes, response) => broken(response, bytes)],
  ['a login page', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
  ['429', (_, response) => response.writeHead(429, { 'retry-after': '1' }).end()],
  ['no response', (_, response) => response.destroy()],
];

function broken(response: ServerResponse, bytes: string): void {
  response.writeHead(200, { 'content-length': bytes.length, etag: '"half"' });
  response.write(bytes.slice(0, 2), () => response.destroy());
}

test.each(WRONG)(
  'a server that sends %s for one file delays the new manifest until it recovers',
  async (_, answer) => {
    const { server, player, media, cloud, manifest, advanceUntil } = await realMedia();
    const old = manifest('r1', ['one', 'two']);
    cloud.setManifest(old);
    player.start();
    cloud.confirmPairing();
    await advanceUntil(
      'the old playlist',
      () => player.status().held_revision === 'r1' && media.cachedHashes().size === 2,
    );
    const next = manifest('r2', ['good', 'late']);
    const path = new URL(next.assets[1]!.url).pathname;
    let asked = 0;
    server.handleRoute(path, (_request, response) => {
      asked += 1;
      answer('late', response);
    });
    cloud.setManifest(next);
    await advanceUntil('many tries', () => asked > 4, 5_000);
    expect(player.status()).toMatchObject({
      held_revision: 'r1',
      faults: [{ code: 'asset.download_failed', facts: { asset_ids: ['asset_late'] } }],
    });
    server.handleRoute(path, null);
    await advanceUntil('the change', () => player.status().held_revision === 'r2');
    await advanceUntil('no complaint', () => JSON.stringify(player.status().faults) === '[]');
  },
  120_000,
);

test('a file with a wrong hash again and again is left out and reported', async () => {
  const { server, player, media, cloud, manifest, advanceUntil } = await realMedia();
  cloud.setManifest(manifest('r1', ['one', 'two']));
  player.start();
  cloud.confirmPairing();
  await advanceUntil(
    'the old playlist',
    () => player.status().held_revision === 'r1' && media.cachedHashes().size === 2,
  );
  const next = manifest('r2', ['good', 'evil']);
  server.handleRoute(new URL(next.assets[1]!.url).pathname, (_, response) => void response.end('EVIL'));
  cloud.setManifest(next);
  await advanceUntil('the change', () => player.status().held_revision === 'r2');
  expect(media.cachedHashes().has(next.assets[1]!.sha256)).toBe(false);
  await advanceUntil('a complaint', () => {
    const faultText = JSON.stringify(player.status().faults);
    return faultText.includes('asset.hash_mismatch') && faultText.includes('asset_evil');
  });
});

test('a download that no manifest references any more is aborted and blocks no other', async () => {
  const { server, player, media, cloud, manifest, advanceUntil } = await realMedia();
  const old = manifest('r1', ['one', 'two', 'three']);
  const stuck = new Set<string>();
  let cut = 0;
  for (const asset of old.assets) {
    server.handleRoute(new URL(asset.url).pathname, (request, response) => {
      stuck.add(request.url ?? '');
      response.on('close', () => (cut += 1));
      response.writeHead(200, { 'content-length': asset.size }).write('o');
    });
  }
  cloud.setManifest(old);
  player.start();
  cloud.confirmPairing();
  await advanceUntil('downloads that stand still', () => stuck.size === 2);
  const next = manifest('r2', ['four', 'five']);
  cloud.setManifest(next);
  await advanceUntil('all of the next manifest', () =>
    next.assets.every((asset) => media.cachedHashes().has(asset.sha256)),
  );
  await advanceUntil('a picture', () => player.stage.current !== null);
  await advanceUntil('the end of the old downloads', () => cut === 2);
  expect(player.status()).toMatchObject({ held_revision: 'r2', faults: [] });
});

test('with a budget too small for old and new files, old ones are evicted, except the one that plays', async () => {
  const { player, media, cloud, manifest, advanceUntil } = await realMedia(3 * 4);
  const old = manifest('r1', ['old1', 'old2']);
  const next = manifest('r2', ['new1', 'new2', 'new3']);
  const holds = (one: Manifest) => one.assets.every((asset) => media.cachedHashes().has(asset.sha256));
  const evictedInPlay = new Set<string>();
  cloud.setManifest(old);
  player.start();
  cloud.confirmPairing();
  await advanceUntil('the old playlist', () => holds(old) && player.stage.current !== null);
  cloud.setManifest(next);
  await advanceUntil('the new playlist', () => {
    const sha256 = player.stage.current?.slice('/media/'.length) ?? '';
    if (!player.stage.isCurrentOver && !media.cachedHashes().has(sha256)) {
      evictedInPlay.add(sha256);
    }
    return holds(next);
  });
  expect([...evictedInPlay]).toEqual([]);
  expect(media.cachedHashes()).toEqual(new Set(next.assets.map((asset) => asset.sha256)));
  await advanceUntil('no complaint', () => !JSON.stringify(player.status()).includes('disk.full'));
  expect(player.log.events).toContainEqual(expect.objectContaining({ event: 'asset.fetch_failed' }));
});

test('a manifest larger than the budget plays the files that fit, current ones first, and raises a fault', async () => {
  const { player, media, cloud, manifest, advanceUntil } = await realMedia(2 * 4);
  cloud.setManifest(manifest('r1', ['one1', 'two2', 'six3', 'ten4']));
  player.start();
  cloud.confirmPairing();
  await advanceUntil('pictures', () => player.stage.shown.length > 3);
  await advanceUntil('what fits, and a complaint', () => {
    const { blocked_by: blocked, faults } = player.status();
    const faultText = JSON.stringify(faults);
    return blocked === 'disk.full' && faultText.includes('asset_six3') && faultText.includes('asset_ten4');
  });
  expect(media.cachedHashes()).toEqual(new Set(['one1', 'two2'].map(sha256Of)));
});
