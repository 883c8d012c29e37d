import { Fault } from '@placard/protocol';
import { describe, expect, test, vi } from 'vitest';
import { createMemoryStore } from '../../../test/support/memory-store.ts';
import { house } from '../../../test/support/simulated-house.ts';

const HOUR_MS = 3_600_000;
// Simulated hours take seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

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
