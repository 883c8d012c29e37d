import { readManifest } from '@placard/protocol';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { fromTheFuture } from '../../test/support/future-manifest.ts';
import { hashOf, sketchManifest } from '../../test/support/manifests.ts';
import { createMemoryStore } from '../../test/support/memory-store.ts';
import { house, NOON } from '../../test/support/simulated-house.ts';

const SKETCH = { revision: 'r_future', playlists: { pl: ['a', 'b'] } };
const future = () => readManifest(JSON.parse(JSON.stringify(fromTheFuture(sketchManifest(SKETCH)))))!;
const faults = z.array(z.object({ code: z.string(), facts: z.unknown() }));
const faultsOf = (box: ReturnType<typeof house>['box']) => faults.parse(box.status().faults);

test('a manifest of a newer cloud plays, and what was left out of it is told', async () => {
  const { clock, cloud, box, settle, shown, publish } = house();
  await settle({ revision: 'r_old', playlists: { pl: ['c'] } });
  publish(SKETCH);
  cloud.setManifest(future());
  await clock.advance(70_000);
  expect(box.status()).toMatchObject({ held_revision: 'r_future', playing_because: { source: 'schedule' } });
  expect(new Set(shown().slice(-4))).toEqual(new Set(['a', 'b']));
  expect(faultsOf(box)).toMatchObject([{ code: 'manifest.unknown' }]);
  const told = JSON.stringify(faultsOf(box)[0]?.facts);
  expect(told).toContain('weather: unknown field');
  const { passed_over } = future();
  for (const what of ['assets.type', 'assets.format', 'playlists.mode', 'schedules.targets.type'])
    expect(passed_over.map((one) => one.what)).toContain(what);
  // The fault is told to the cloud, and goes with what caused it.
  expect(JSON.stringify(cloud.seen.heartbeats.at(-1)?.state.faults)).toContain('manifest.unknown');
  publish({ revision: 'r_plain', playlists: { pl: ['a', 'b'] } });
  await clock.advance(10_000);
  expect(faultsOf(box)).toEqual([]);
});

test('after an update of the player what it had to leave out is fetched again, though the revision is the same', async () => {
  const store = createMemoryStore();
  const { clock, cloud, box, settle } = house({ store });
  await settle();
  const plain = sketchManifest({ revision: 'r_1', playlists: { pl: ['a', 'b'] } });
  cloud.setManifest({
    ...plain,
    playlists: [{ ...plain.playlists[0]!, items: plain.playlists[0]!.items.slice(0, 1) }],
    passed_over: [{ what: 'playlists.items.type', found: 'live', count: 1 }],
  });
  await clock.advance(10_000);
  expect(store.readManifests().held?.playlists[0]?.items).toHaveLength(1);
  // The new version understands all of it; the cloud has changed nothing.
  cloud.setManifest(plain);
  box.kill();
  box.start();
  await clock.advance(30_000);
  expect(store.readManifests().held?.playlists[0]?.items).toHaveLength(2);
  expect(faultsOf(box)).toEqual([]);
  const { manifests } = cloud.seen;
  await clock.advance(600_000);
  expect(cloud.seen.manifests, 'it is not fetched again and again').toBe(manifests);
});

test('an unknown command is acknowledged and told as failed, and the next one is carried out', async () => {
  const { clock, cloud, settle } = house();
  await settle();
  const expires_at = new Date(NOON + 3_600_000).toISOString();
  cloud.command({ id: 'cmd_1', command: 'SELF_CLEAN', expires_at });
  cloud.command({ id: 'cmd_2', command: 'REFRESH', expires_at });
  await clock.advance(10_000);
  expect(cloud.seen.statuses.map(({ id, status }) => [id, status.status])).toEqual([
    ['cmd_1', 'acknowledged'],
    ['cmd_2', 'acknowledged'],
    ['cmd_1', 'failed'],
    ['cmd_2', 'succeeded'],
  ]);
  expect(cloud.seen.statuses[2]?.status.result).toEqual({
    reason: 'this player does not know the command SELF_CLEAN; update the player',
  });
});

test('a file at a host that the manifest does not name is not fetched, and holds up no other', async () => {
  const { clock, cloud, box, media, publish, settle, shown } = house();
  await settle({ revision: 'r_old', playlists: { pl: ['c'] } });
  const next = publish({ revision: 'r_next', playlists: { pl: ['a', 'b'] } });
  const assets = next.assets.map((asset) =>
    asset.id === 'asset_b' ? { ...asset, url: 'http://127.0.0.1:6379/b' } : asset,
  );
  media.serve('http://127.0.0.1:6379/b', Buffer.from('b'));
  cloud.setManifest({ ...next, assets, media_hosts: ['cdn.test'] });
  await clock.advance(120_000);
  expect(media.held().has(hashOf('b'))).toBe(false);
  expect(box.status()).toMatchObject({ held_revision: 'r_next' });
  expect(new Set(shown().slice(-3))).toEqual(new Set(['a']));
  expect(faultsOf(box)).toMatchObject([{ code: 'asset.not_allowed', facts: { asset_ids: ['asset_b'] } }]);
});
