import { expect, test } from 'vitest';
import { hashOf, rule } from '../../test/support/manifests.ts';
import { house, NOON } from '../../test/support/simulated-house.ts';

test('a slow page has the box to itself until it shows the first picture, for half a minute', async () => {
  const { clock, cloud, box, settle } = house();
  await settle();
  box.powerCut();
  box.lossy = true;
  const before = cloud.seen.calls;
  box.start();
  await clock.advance(25_000);
  expect(cloud.seen.calls).toBe(before);
  await clock.advance(10_000);
  expect(cloud.seen.calls).toBeGreaterThan(before);
});

test('a box that went off while nothing was scheduled shows its first picture before it calls the cloud', async () => {
  const { clock, cloud, box, settle } = house();
  await settle({
    playlists: { day: ['a', 'b'] },
    base: null,
    rules: [rule('rule_1', 'day', '12:00', '13:00')],
  });
  await clock.advance(90 * 60_000);
  box.powerCut();
  expect(box.stage.empty).toBe(true);
  clock.setWall(NOON + 24 * 3_600_000);
  box.lossy = true;
  const before = cloud.seen.calls;
  box.start();
  await clock.advance(25_000);
  expect(cloud.seen.calls).toBe(before);
  box.lossy = false;
  box.stage.connect();
  await clock.advance(2_000);
  expect(box.stage.current).not.toBe(null);
  expect(cloud.seen.calls).toBeGreaterThan(before);
});

test('a box that holds no file of what is scheduled fetches it before there is a page', async () => {
  const { clock, cloud, media, box, settle } = house();
  await settle({ playlists: { day: ['a'] }, base: null, rules: [rule('rule_1', 'day', '12:00', '13:00')] });
  await clock.advance(90 * 60_000);
  box.powerCut();
  clock.setWall(NOON + 24 * 3_600_000);
  await media.drop(hashOf('a'));
  box.lossy = true;
  const before = cloud.seen.calls;
  box.start();
  await clock.advance(1_000);
  expect(cloud.seen.calls).toBeGreaterThan(before);
});

test('a box with nothing to show waits for no picture', async () => {
  const { clock, cloud, box, settle, publish } = house();
  await settle();
  publish({ playlists: {} });
  await clock.advance(20_000);
  box.powerCut();
  const before = cloud.seen.calls;
  box.start();
  await clock.advance(1_000);
  expect(cloud.seen.calls).toBeGreaterThan(before);
});
