import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { Fault, type Manifest } from '@placard/protocol';
import { Agent } from 'undici';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { startFakeCloud } from '../../../test/support/fake-cloud.ts';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { hashOf, imageAsset, sketchManifest } from '../../../test/support/manifests.ts';
import { createMemoryCloud } from '../../../test/support/memory-cloud.ts';
import { createPlayerBox } from '../../../test/support/player-box.ts';
import { createQuietLog } from '../../../test/support/quiet-log.ts';
import { createMemoryStore } from '../../../test/support/memory-store.ts';
import { house } from '../../../test/support/simulated-house.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { until } from '../../../test/support/until.ts';
import { openMediaCache } from '../../adapters/media-cache/media-cache.ts';
import { createSqliteStore } from '../../adapters/sqlite-store/sqlite-store.ts';

const HOUR_MS = 3_600_000;
// Simulated hours and real files take seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

/** `npm run test:large` sets 5,000. */
const MANY = Number(process.env.PLACARD_MANY_FILES ?? 600);
const bytesOf = (name: string) => Buffer.from(name);

describe('a manifest of which a file does not come', () => {
  const NEXT = { revision: 'r_next', playlists: { pl: ['x', 'y', 'z'] } };

  test('leaves the whole playlist before it on the wall for as long as the line is bad', async () => {
    const { clock, box, media, publish, settle, shown } = house();
    await settle();
    const next = publish(NEXT);
    const cut = new Fault('asset.download_failed', 'later', { reason: 'cut off' });
    media.serve(next.assets[2]!.url, cut);
    await clock.advance(6 * HOUR_MS);
    expect(box.status()).toMatchObject({
      target_revision: 'r_next',
      blocked_by: 'asset.download_failed',
      faults: [{ code: 'asset.download_failed', facts: { asset_ids: ['asset_z'] } }],
    });
    expect(new Set(shown())).toEqual(new Set(['a', 'b', 'c']));
    media.serve(next.assets[2]!.url, bytesOf('z'));
    await clock.advance(10 * 60_000);
    expect(box.status()).toMatchObject({ held_revision: 'r_next', blocked_by: null, faults: [] });
  });

  test('is not given up by what one fault and another say of it together', async () => {
    const { clock, box, media, publish, settle, shown } = house();
    await settle({ revision: 'rev_held', playlists: { pl: ['a', 'b', 'c'] } });
    const late = publish(NEXT).assets[2]!;
    const ill = new Fault('asset.download_failed', 'later', { status: 503 });
    const wrong = new Fault('asset.hash_mismatch', 'later');
    const cut = new Fault('asset.download_failed', 'later', { reason: 'cut off' });
    const answers = [ill, ill, ill, ill, ill, wrong, wrong];
    const fetch = media.fetch.bind(media);
    media.fetch = (asset, signal) => {
      if (asset.id === late.id) media.serve(asset.url, answers.shift() ?? cut);
      return fetch(asset, signal);
    };
    await clock.advance(6 * HOUR_MS);
    expect(answers).toEqual([]);
    expect(box.status()).toMatchObject({ target_revision: 'r_next', held_revision: 'rev_held' });
    expect(new Set(shown())).toEqual(new Set(['a', 'b', 'c']));
    answers.push(wrong);
    await clock.advance(HOUR_MS);
    expect(box.status()).toMatchObject({ held_revision: 'r_next' });
  });

  test('comes within two hours of a server that asked for a pause of a day', async () => {
    const { clock, box, media, publish, settle } = house();
    await settle();
    const next = publish(NEXT);
    const pause = new Fault('asset.download_failed', { afterMs: 24 * HOUR_MS }, { status: 503 });
    media.serve(next.assets[2]!.url, pause);
    await clock.advance(10_000);
    media.serve(next.assets[2]!.url, bytesOf('z'));
    await clock.advance(2 * HOUR_MS);
    expect(box.status()).toMatchObject({ held_revision: 'r_next', blocked_by: null });
  });

  test('is shown without it once its server has refused it for hours', async () => {
    const { clock, box, media, publish, settle, shown } = house();
    await settle();
    const next = publish(NEXT);
    media.serve(next.assets[2]!.url, new Fault('asset.download_failed', 'later', { status: 500 }));
    await clock.advance(HOUR_MS);
    expect(box.status()).toMatchObject({ target_revision: 'r_next', blocked_by: 'asset.download_failed' });
    expect(new Set(shown())).toEqual(new Set(['a', 'b', 'c']));
    await clock.advanceUntil(() => box.status().held_revision === 'r_next', 12 * HOUR_MS, 60_000);
    await clock.advance(30_000);
    expect(new Set(shown().slice(-3))).toEqual(new Set(['x', 'y']));
  });
});

test('the troubles of a device that is unpaired go with it', async () => {
  const { clock, cloud, box, publish, settle } = house();
  await settle();
  publish({ revision: 'r_next', playlists: { pl: ['x', 'y'] } }, ['y']);
  await clock.advance(60_000);
  expect(box.status()).toMatchObject({ faults: [{ code: 'asset.gone' }] });
  cloud.unpair();
  await clock.advanceUntil(() => box.status().state === 'pairing', 60_000);
  expect(box.status()).toMatchObject({ faults: [] });
});

test('a manifest that the disk does not take is a fault for as long as that lasts, and is fetched again', async () => {
  const store = createMemoryStore();
  const save = store.saveTarget.bind(store);
  let full = false;
  store.saveTarget = (manifest) => {
    if (full) throw new Fault('disk.full', 'later', { file: 'player.sqlite' });
    save(manifest);
  };
  const { clock, cloud, box, publish, settle, shown } = house({ store });
  await settle();
  full = true;
  publish({ revision: 'r_next', playlists: { pl: ['x', 'y'] } });
  const told = () => JSON.stringify(box.status().faults).includes('disk.full');
  await clock.advanceUntil(told, 60_000);
  const asked = cloud.seen.manifests;
  for (let second = 0; second < 600; second++) {
    await clock.advance(1_000);
    expect(told()).toBe(true);
  }
  expect(cloud.seen.manifests - asked).toBeGreaterThan(5);
  expect(new Set(shown())).toEqual(new Set(['a', 'b', 'c']));
  full = false;
  await clock.advance(120_000);
  expect(box.status()).toMatchObject({ held_revision: 'r_next', faults: [] });
});

/** A player with real files and a real server of media, by a clock that the test moves. */
async function realMedia(maxCacheBytes: number | null = null) {
  const server = await startFakeCloud();
  onTestFinished(() => server.stop());
  const dispatcher = new Agent();
  onTestFinished(() => dispatcher.destroy());
  const clock = createManualClock();
  const dir = tempDir();
  const log = createQuietLog();
  const files = { file: join(dir, 'player.sqlite'), identityFile: join(dir, 'identity.json') };
  const store = createSqliteStore({ ...files, server: 'http://cloud.test', nowMs: 0, log });
  onTestFinished(() => store.close());
  const cloud = createMemoryCloud({ clock });
  const media = await openMediaCache({
    dir: join(dir, 'media'),
    index: store,
    dispatcher,
    maxCacheBytes,
    minFreeBytes: 0,
    maxBytesPerSecond: null,
    log,
  });
  const box = createPlayerBox({ clock, store, media, cloud });
  const manifest = (revision: string, names: string[]): Manifest => ({
    ...sketchManifest({ revision, playlists: { pl: names } }),
    assets: names.map((name) => imageAsset(name, server.addMedia(name))),
  });
  return {
    server,
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
