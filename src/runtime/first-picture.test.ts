import { expect, test } from 'vitest';
import { sha256Of, rule } from '../../test/support/manifests.ts';
import { createSimulatedPlayer, NOON } from '../../test/support/simulated-player.ts';

test('networking waits up to half a minute for the first picture of a slow page', async () => {
  const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
  await pairAndPlay();
  player.powerCut();
  player.dropsStageMessages = true;
  const before = cloud.received.callCount;
  player.start();
  await clock.advance(25_000);
  expect(cloud.received.callCount).toBe(before);
  await clock.advance(10_000);
  expect(cloud.received.callCount).toBeGreaterThan(before);
});

test('a device turned off while nothing was scheduled shows its first picture before it calls the cloud', async () => {
  const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
  await pairAndPlay({
    playlists: { day: ['a', 'b'] },
    basePlaylistId: null,
    rules: [rule('rule_1', 'day', '12:00', '13:00')],
  });
  await clock.advance(90 * 60_000);
  player.powerCut();
  expect(player.stage.isEmpty).toBe(true);
  clock.setWall(NOON + 24 * 3_600_000);
  player.dropsStageMessages = true;
  const before = cloud.received.callCount;
  player.start();
  await clock.advance(25_000);
  expect(cloud.received.callCount).toBe(before);
  player.dropsStageMessages = false;
  player.stage.connect();
  await clock.advance(2_000);
  expect(player.stage.current).not.toBe(null);
  expect(cloud.received.callCount).toBeGreaterThan(before);
});

test('a device without any scheduled file downloads it before there is a page', async () => {
  const { clock, cloud, media, player, pairAndPlay } = createSimulatedPlayer();
  await pairAndPlay({
    playlists: { day: ['a'] },
    basePlaylistId: null,
    rules: [rule('rule_1', 'day', '12:00', '13:00')],
  });
  await clock.advance(90 * 60_000);
  player.powerCut();
  clock.setWall(NOON + 24 * 3_600_000);
  await media.remove(sha256Of('a'));
  player.dropsStageMessages = true;
  const before = cloud.received.callCount;
  player.start();
  await clock.advance(1_000);
  expect(cloud.received.callCount).toBeGreaterThan(before);
});

test('a device with nothing to show does not wait for a picture', async () => {
  const { clock, cloud, player, pairAndPlay, publish } = createSimulatedPlayer();
  await pairAndPlay();
  publish({ playlists: {} });
  await clock.advance(20_000);
  player.powerCut();
  const before = cloud.received.callCount;
  player.start();
  await clock.advance(1_000);
  expect(cloud.received.callCount).toBeGreaterThan(before);
});
