import { parseManifest } from '@placard/protocol';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { withUnknownFields } from '../../test/support/manifest-with-unknown-fields.ts';
import { sha256Of, buildManifest } from '../../test/support/manifests.ts';
import { createMemoryDatabase } from '../../test/support/memory-database.ts';
import { createSimulatedPlayer, NOON } from '../../test/support/simulated-player.ts';

const SKETCH = { revision: 'r_future', playlists: { pl: ['a', 'b'] } };
const future = () => parseManifest(JSON.parse(JSON.stringify(withUnknownFields(buildManifest(SKETCH)))))!;
const faults = z.array(z.object({ code: z.string(), facts: z.unknown() }));
const faultsOf = (player: ReturnType<typeof createSimulatedPlayer>['player']) =>
  faults.parse(player.status().faults);

test('a manifest of a newer cloud plays, and its skipped parts are reported', async () => {
  const { clock, cloud, player, pairAndPlay, shownNames, publish } = createSimulatedPlayer();
  await pairAndPlay({ revision: 'r_old', playlists: { pl: ['c'] } });
  publish(SKETCH);
  cloud.setManifest(future());
  await clock.advance(70_000);
  expect(player.status()).toMatchObject({
    held_revision: 'r_future',
    playing_because: { source: 'schedule' },
  });
  expect(new Set(shownNames().slice(-4))).toEqual(new Set(['a', 'b']));
  expect(faultsOf(player)).toMatchObject([{ code: 'manifest.unknown' }]);
  const faultText = JSON.stringify(faultsOf(player)[0]?.facts);
  expect(faultText).toContain('weather: unknown field');
  const { passed_over } = future();
  for (const what of ['assets.type', 'assets.format', 'playlists.mode', 'schedules.targets.type']) {
    expect(passed_over.map((one) => one.what)).toContain(what);
  }
  // The fault is reported, and cleared with its cause.
  expect(JSON.stringify(cloud.received.heartbeats.at(-1)?.state.faults)).toContain('manifest.unknown');
  publish({ revision: 'r_plain', playlists: { pl: ['a', 'b'] } });
  await clock.advance(10_000);
  expect(faultsOf(player)).toEqual([]);
});

test('after a player update, parts that were skipped are fetched again, although the revision is the same', async () => {
  const database = createMemoryDatabase();
  const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer({ database });
  await pairAndPlay();
  const plain = buildManifest({ revision: 'r_1', playlists: { pl: ['a', 'b'] } });
  cloud.setManifest({
    ...plain,
    playlists: [{ ...plain.playlists[0]!, items: plain.playlists[0]!.items.slice(0, 1) }],
    passed_over: [{ what: 'playlists.items.type', found: 'live', count: 1 }],
  });
  await clock.advance(10_000);
  expect(database.readManifests().held?.playlists[0]?.items).toHaveLength(1);
  // The new version knows all parts; the cloud has changed nothing.
  cloud.setManifest(plain);
  player.kill();
  player.start();
  await clock.advance(30_000);
  expect(database.readManifests().held?.playlists[0]?.items).toHaveLength(2);
  expect(faultsOf(player)).toEqual([]);
  const { manifestRequests } = cloud.received;
  await clock.advance(600_000);
  expect(cloud.received.manifestRequests, 'it is not fetched again and again').toBe(manifestRequests);
});

test('an unknown command is acknowledged and reported as failed, and the next one is executed', async () => {
  const { clock, cloud, pairAndPlay } = createSimulatedPlayer();
  await pairAndPlay();
  const expires_at = new Date(NOON + 3_600_000).toISOString();
  cloud.sendCommand({ id: 'cmd_1', command: 'SELF_CLEAN', expires_at });
  cloud.sendCommand({ id: 'cmd_2', command: 'REFRESH', expires_at });
  await clock.advance(10_000);
  expect(cloud.received.commandStatuses.map(({ id, status }) => [id, status.status])).toEqual([
    ['cmd_1', 'acknowledged'],
    ['cmd_2', 'acknowledged'],
    ['cmd_1', 'failed'],
    ['cmd_2', 'succeeded'],
  ]);
  expect(cloud.received.commandStatuses[2]?.status.result).toEqual({
    reason: 'this player does not support the command SELF_CLEAN; update the player',
  });
});

test('a file on a host that the manifest does not list is not downloaded and blocks no other', async () => {
  const { clock, cloud, player, media, publish, pairAndPlay, shownNames } = createSimulatedPlayer();
  await pairAndPlay({ revision: 'r_old', playlists: { pl: ['c'] } });
  const next = publish({ revision: 'r_next', playlists: { pl: ['a', 'b'] } });
  const assets = next.assets.map((asset) =>
    asset.id === 'asset_b' ? { ...asset, url: 'http://127.0.0.1:6379/b' } : asset,
  );
  media.setDownload('http://127.0.0.1:6379/b', Buffer.from('b'));
  cloud.setManifest({ ...next, assets, media_hosts: ['cdn.test'] });
  await clock.advance(120_000);
  expect(media.cachedHashes().has(sha256Of('b'))).toBe(false);
  expect(player.status()).toMatchObject({ held_revision: 'r_next' });
  expect(new Set(shownNames().slice(-3))).toEqual(new Set(['a']));
  expect(faultsOf(player)).toMatchObject([{ code: 'asset.not_allowed', facts: { asset_ids: ['asset_b'] } }]);
});
