import { Fault } from '@placard/protocol';
import type { Manifest } from '@placard/protocol';
import { expect, test } from 'vitest';
import { buildManifest } from '../../test/support/manifests.ts';
import { createMemoryDatabase } from '../../test/support/memory-database.ts';
import { createSimulatedPlayer, SLOW_PLAYLIST } from '../../test/support/simulated-player.ts';

const HOUR_MS = 3_600_000;

/** A shell that takes each picture at once. */
const PICTURE = { picture: '/9j/2Q==' };

async function startPlayer(
  settings: Partial<Pick<Manifest, 'organization' | 'device'>> = {},
  database = createMemoryDatabase(),
) {
  const simulated = createSimulatedPlayer({ ...PICTURE, database });
  const { clock, cloud } = simulated;
  const passMinutes = (minutes: number) => clock.advance(minutes * 60_000);
  const set = (changes: Partial<Record<'organization' | 'device', object>>) => {
    const manifest = buildManifest({ revision: JSON.stringify(changes), playlists: SLOW_PLAYLIST });
    cloud.setManifest({
      ...manifest,
      organization: { ...manifest.organization, ...changes.organization },
      device: { ...manifest.device, ...changes.device },
    });
  };
  await simulated.pairAndPlay({ playlists: SLOW_PLAYLIST });
  set(settings);
  return { ...simulated, set, passMinutes, pictures: cloud.received.screenshots };
}

const takenAt = (pictures: readonly { taken_at: string }[]) =>
  pictures.map((each) => Date.parse(each.taken_at));

test('a player sends a picture every so many minutes, also over a restart, and none without the setting', async () => {
  const { passMinutes, pictures, set, player } = await startPlayer();
  await passMinutes(180);
  expect(pictures).toEqual([]);

  set({ organization: { screenshot_interval_minutes: 60 } });
  await passMinutes(5 * 60);
  expect(pictures).toHaveLength(5);
  expect(pictures[0]).toEqual({
    taken_at: expect.any(String),
    current: expect.objectContaining({ playlist_id: 'pl' }),
    image: '/9j/2Q==',
  });
  player.powerCut();
  player.start();
  await passMinutes(3 * 60);
  expect(pictures).toHaveLength(8);
  const times = takenAt(pictures);
  // Within two minutes of each hour, at a time that nobody can foresee.
  const seconds = times.map((ms) => Math.round((ms - times[0]!) / 1_000) % 3_600);
  const early = seconds.map((each) => (each > 1_800 ? each - 3_600 : each));
  expect(Math.max(...early) - Math.min(...early)).toBeLessThanOrEqual(120);
  expect(new Set(early).size).toBeGreaterThan(4);

  // That of the device wins, and what is forbidden is not taken.
  set({ organization: { screenshot_interval_minutes: 60 }, device: { screenshot_interval_minutes: 0 } });
  await passMinutes(120);
  set({ device: { screenshot_interval_minutes: 5, screenshots_allowed: false } });
  await passMinutes(120);
  expect(pictures).toHaveLength(8);
  set({ device: { screenshot_interval_minutes: 5 } });
  await passMinutes(61);
  expect(pictures.length - 8).toBeGreaterThanOrEqual(11);
  expect(pictures.length - 8).toBeLessThanOrEqual(12);
});

test('what cannot be sent is not sent later, and a corrected clock makes no more than one picture', async () => {
  const { passMinutes, pictures, clock, cloud } = await startPlayer({
    organization: { timezone: 'UTC', screenshot_interval_minutes: 60 },
  });
  await passMinutes(61);
  expect(pictures).toHaveLength(1);
  cloud.unreachable = true;
  await passMinutes(5 * 60);
  cloud.unreachable = false;
  await passMinutes(30);
  expect(pictures.length).toBeLessThanOrEqual(2);
  // Five minutes after one was due.
  const sinceDueMs = (clock.wallMs() - takenAt(pictures)[0]!) % HOUR_MS;
  await clock.advance(HOUR_MS - sinceDueMs + 5 * 60_000);
  const count = pictures.length;
  clock.setWall(clock.wallMs() + 30 * 24 * HOUR_MS);
  await passMinutes(2);
  expect(pictures.length - count).toBe(1);
  clock.setWall(clock.wallMs() - 60 * 24 * HOUR_MS);
  const corrected = pictures.length;
  await passMinutes(120);
  expect(pictures.length - corrected).toBe(2);
});

const ofFaults = (pictures: readonly { fault_code?: string | undefined }[]) =>
  pictures.flatMap(({ fault_code: code }) => code ?? []);

test('a player sends a picture with each new fault, 30 s apart, and none with one that comes again soon', async () => {
  const { passMinutes, pictures, player, clock } = await startPlayer();
  await passMinutes(30);
  player.runtime.setSafeMode(true);
  await clock.advance(1_000);
  expect(pictures).toEqual([
    {
      fault_code: 'stage.safe_mode',
      taken_at: expect.any(String),
      current: expect.objectContaining({ playlist_id: 'pl' }),
      image: '/9j/2Q==',
    },
  ]);
  // It lasts, and comes and goes.
  await passMinutes(90);
  for (let round = 0; round < 10; round += 1) {
    player.runtime.setSafeMode(false);
    await passMinutes(2);
    player.runtime.setSafeMode(true);
    await passMinutes(2);
  }
  expect(ofFaults(pictures)).toEqual(['stage.safe_mode', 'stage.safe_mode']);
  player.runtime.setSafeMode(false);
  await passMinutes(61);
  player.runtime.setSafeMode(true);
  await passMinutes(1);
  expect(ofFaults(pictures)).toHaveLength(3);
});

test('what has happened without the cloud is sent when it is back, spread over ten minutes', async () => {
  const { passMinutes, pictures, player, cloud, clock, set } = await startPlayer();
  await passMinutes(30);
  cloud.unreachable = true;
  await passMinutes(5);
  player.runtime.setSafeMode(true);
  await passMinutes(5);
  expect(pictures).toEqual([]);
  const before = clock.wallMs();
  cloud.unreachable = false;
  await passMinutes(15);
  expect(ofFaults(pictures)).toEqual(['cloud.unreachable', 'stage.safe_mode']);
  expect(takenAt(pictures).every((ms) => ms < before)).toBe(true);

  set({ device: { screenshots_allowed: false } });
  await passMinutes(120);
  player.runtime.setSafeMode(false);
  await passMinutes(61);
  player.runtime.setSafeMode(true);
  await passMinutes(5);
  expect(pictures).toHaveLength(2);
});

/** Publishes a manifest of which no file can be downloaded. */
function publishWaiting(
  { cloud, media }: Pick<ReturnType<typeof createSimulatedPlayer>, 'cloud' | 'media'>,
  revision: string,
  device: Partial<Manifest['device']>,
): void {
  const manifest = buildManifest({ revision, playlists: { new: ['x', 'y'] } });
  for (const { url } of manifest.assets) {
    media.setDownload(url, new Fault('asset.download_failed', 'later', { reason: 'cut off' }));
  }
  cloud.setManifest({ ...manifest, device: { ...manifest.device, ...device } });
}

test('what is forbidden holds at once on a player that was just paired and has no file yet', async () => {
  const simulated = createSimulatedPlayer(PICTURE);
  const { clock, cloud, player } = simulated;
  publishWaiting(simulated, 'first', { screenshot_interval_minutes: 5 });
  player.start();
  await clock.advance(1_000);
  cloud.confirmPairing();
  await clock.advanceUntil(() => cloud.received.screenshots.length > 0, HOUR_MS);
  expect(player.stage.screen).toMatchObject({ kind: 'idle', allows_screenshots: true });

  publishWaiting(simulated, 'private', { screenshot_interval_minutes: 5, screenshots_allowed: false });
  await clock.advance(10_000);
  expect(player.status()).toMatchObject({ target_revision: 'private', held_revision: null });
  expect(player.stage.screen).toMatchObject({ kind: 'idle', allows_screenshots: false });
  const count = cloud.received.screenshots.length;
  await clock.advance(HOUR_MS);
  expect(cloud.received.screenshots).toHaveLength(count);
});

test('what is forbidden, or allowed again, holds while the player waits for files, also over a restart', async () => {
  const simulated = await startPlayer({ organization: { timezone: 'UTC', screenshot_interval_minutes: 5 } });
  const { cloud, player, passMinutes, pictures } = simulated;
  await passMinutes(11);
  expect(pictures.length).toBeGreaterThan(0);
  publishWaiting(simulated, 'private', { screenshots_allowed: false, screenshot_interval_minutes: 5 });
  await passMinutes(1);
  const asked = () => player.shellMessages.filter(({ type }) => type === 'screenshot_wanted').length;
  const before = asked();
  await passMinutes(30);
  cloud.unreachable = true;
  player.powerCut();
  player.start();
  await passMinutes(30);
  expect([asked(), player.status()]).toMatchObject([before, { target_revision: 'private' }]);
  expect(player.status()).not.toMatchObject({ held_revision: 'private' });

  cloud.unreachable = false;
  publishWaiting(simulated, 'open', { screenshot_interval_minutes: 5 });
  await passMinutes(30);
  expect(player.status()).toMatchObject({ target_revision: 'open' });
  expect(asked()).toBeGreaterThan(before);
});

test('what is forbidden holds although the disk takes no manifest, and ends when it is allowed again', async () => {
  const database = createMemoryDatabase();
  const save = database.saveTargetManifest.bind(database);
  let isFull = false;
  database.saveTargetManifest = (manifest) => {
    if (isFull) {
      throw new Fault('disk.full', 'later', { file: 'player.sqlite' });
    }
    save(manifest);
  };
  const allowed = { device: { screenshot_interval_minutes: 5 } };
  const { set, passMinutes, pictures } = await startPlayer({}, database);
  set(allowed);
  await passMinutes(11);
  expect(pictures.length).toBeGreaterThan(0);
  isFull = true;
  set({ device: { ...allowed.device, screenshots_allowed: false } });
  await passMinutes(1);
  const count = pictures.length;
  await passMinutes(30);
  expect(pictures).toHaveLength(count);
  set(allowed);
  await passMinutes(30);
  expect(pictures.length).toBeGreaterThan(count);
});
