import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Manifest } from '@placard/protocol';
import { expect, test, vi } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { hashOf, sketchManifest } from '../../../test/support/manifests.ts';
import { createMediaFolder } from '../../../test/support/media-folder.ts';
import { createMemoryCloud } from '../../../test/support/memory-cloud.ts';
import { openStore } from '../../../test/support/open-store.ts';
import { createPlayerBox } from '../../../test/support/player-box.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { until } from '../../../test/support/until.ts';

// Real files take seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

/** `npm run test:large` sets 5,000. */
const MANY = Number(process.env.PLACARD_MANY_FILES ?? 600);

/** A player with real files and a real server of media, by a clock that the test moves. */
async function realMedia(maxCacheBytes: number | null = null) {
  const clock = createManualClock();
  const dir = tempDir();
  const store = openStore(dir);
  const cloud = createMemoryCloud({ clock });
  const folder = await createMediaFolder(join(dir, 'media'));
  const media = await folder.open(store, { maxCacheBytes });
  const box = createPlayerBox({ clock, store, media, cloud });
  const manifest = (revision: string, names: string[]): Manifest => ({
    ...sketchManifest({ revision, playlists: { pl: names } }),
    assets: names.map((name) => folder.asset(name)),
  });
  return {
    server: folder.cloud,
    box,
    media,
    cloud,
    manifest,
    /** Both clocks go on until it is so. */
    soon: (what: string, is: () => boolean, stepMs = 2_000) =>
      until(
        what,
        async () => {
          await clock.advance(stepMs);
          return is();
        },
        300_000,
      ),
  };
}

test(`a manifest of ${MANY} files is fetched in the order of need, two at a time`, async () => {
  const { server, box, media, cloud, manifest, soon } = await realMedia();
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
  box.start();
  cloud.confirm();
  await soon('all files', () => media.held().size === MANY);
  expect(begun).toEqual(next.assets.map((asset) => asset.id));
  expect(most).toBe(2);
  expect(server.seen.mediaRequests).toHaveLength(MANY);
  expect(box.status()).toMatchObject({ held_revision: 'r1', blocked_by: null, faults: [] });
}, 600_000);

const WRONG: [string, (bytes: string, response: ServerResponse) => void][] = [
  ['half bodies', (bytes, response) => broken(response, bytes)],
  ['a sign-in page', (_, response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>')],
  ['429', (_, response) => response.writeHead(429, { 'retry-after': '1' }).end()],
  ['nothing', (_, response) => response.destroy()],
];

function broken(response: ServerResponse, bytes: string): void {
  response.writeHead(200, { 'content-length': bytes.length, etag: '"half"' });
  response.write(bytes.slice(0, 2), () => response.destroy());
}

test.each(WRONG)(
  'a server that sends %s for one file holds the change up until it is well',
  async (_, answer) => {
    const { server, box, media, cloud, manifest, soon } = await realMedia();
    const old = manifest('r1', ['one', 'two']);
    cloud.setManifest(old);
    box.start();
    cloud.confirm();
    await soon('the old playlist', () => box.status().held_revision === 'r1' && media.held().size === 2);
    const next = manifest('r2', ['good', 'late']);
    const path = new URL(next.assets[1]!.url).pathname;
    let asked = 0;
    server.script(path, (_request, response) => {
      asked += 1;
      answer('late', response);
    });
    cloud.setManifest(next);
    await soon('many tries', () => asked > 4, 5_000);
    expect(box.status()).toMatchObject({
      held_revision: 'r1',
      faults: [{ code: 'asset.download_failed', facts: { asset_ids: ['asset_late'] } }],
    });
    server.script(path, null);
    await soon('the change', () => box.status().held_revision === 'r2');
    await soon('no complaint', () => JSON.stringify(box.status().faults) === '[]');
  },
  120_000,
);

test('a file whose bytes are wrong again and again is done without, and told', async () => {
  const { server, box, media, cloud, manifest, soon } = await realMedia();
  cloud.setManifest(manifest('r1', ['one', 'two']));
  box.start();
  cloud.confirm();
  await soon('the old playlist', () => box.status().held_revision === 'r1' && media.held().size === 2);
  const next = manifest('r2', ['good', 'evil']);
  server.script(new URL(next.assets[1]!.url).pathname, (_, response) => void response.end('EVIL'));
  cloud.setManifest(next);
  await soon('the change', () => box.status().held_revision === 'r2');
  expect(media.held().has(next.assets[1]!.sha256)).toBe(false);
  await soon('a complaint', () => {
    const told = JSON.stringify(box.status().faults);
    return told.includes('asset.hash_mismatch') && told.includes('asset_evil');
  });
});

test('a download that no manifest names any more is stopped, and stands in no way', async () => {
  const { server, box, media, cloud, manifest, soon } = await realMedia();
  const old = manifest('r1', ['one', 'two', 'three']);
  const stuck = new Set<string>();
  let cut = 0;
  for (const asset of old.assets) {
    server.script(new URL(asset.url).pathname, (request, response) => {
      stuck.add(request.url ?? '');
      response.on('close', () => (cut += 1));
      response.writeHead(200, { 'content-length': asset.size }).write('o');
    });
  }
  cloud.setManifest(old);
  box.start();
  cloud.confirm();
  await soon('downloads that stand still', () => stuck.size === 2);
  const next = manifest('r2', ['four', 'five']);
  cloud.setManifest(next);
  await soon('all of the next manifest', () => next.assets.every((asset) => media.held().has(asset.sha256)));
  await soon('a picture', () => box.stage.current !== null);
  await soon('the end of the old downloads', () => cut === 2);
  expect(box.status()).toMatchObject({ held_revision: 'r2', faults: [] });
});

test('a budget that is too small for old and new together gives way to the new, never under the picture', async () => {
  const { box, media, cloud, manifest, soon } = await realMedia(3 * 4);
  const old = manifest('r1', ['old1', 'old2']);
  const next = manifest('r2', ['new1', 'new2', 'new3']);
  const holds = (one: Manifest) => one.assets.every((asset) => media.held().has(asset.sha256));
  const onStage = () => box.stage.current?.slice('/media/'.length) ?? '';
  const robbed = new Set<string>();
  cloud.setManifest(old);
  box.start();
  cloud.confirm();
  await soon('the old playlist', () => holds(old) && box.stage.current !== null);
  cloud.setManifest(next);
  await soon('the new playlist', () => {
    if (!media.held().has(onStage())) robbed.add(onStage());
    return holds(next);
  });
  expect([...robbed]).toEqual([]);
  expect(media.held()).toEqual(new Set(next.assets.map((asset) => asset.sha256)));
  await soon('no complaint', () => !JSON.stringify(box.status()).includes('disk.full'));
  expect(box.log.events).toContainEqual(expect.objectContaining({ event: 'asset.failed' }));
});

test('a manifest that is larger than the budget plays what fits, what is on first, and says so', async () => {
  const { box, media, cloud, manifest, soon } = await realMedia(2 * 4);
  cloud.setManifest(manifest('r1', ['one1', 'two2', 'six3', 'ten4']));
  box.start();
  cloud.confirm();
  await soon('pictures', () => box.stage.shown.length > 3);
  await soon('what fits, and a complaint', () => {
    const { blocked_by: blocked, faults } = box.status();
    const told = JSON.stringify(faults);
    return blocked === 'disk.full' && told.includes('asset_six3') && told.includes('asset_ten4');
  });
  expect(media.held()).toEqual(new Set(['one1', 'two2'].map(hashOf)));
});
