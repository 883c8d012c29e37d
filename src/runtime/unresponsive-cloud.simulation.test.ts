import { Fault } from '@placard/protocol';
import { expect, test, vi } from 'vitest';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { buildManifest } from '../../test/support/manifests.ts';
import { createMemoryCloud } from '../../test/support/memory-cloud.ts';
import { createMemoryMediaCache } from '../../test/support/memory-media-cache.ts';
import { createMemoryDatabase } from '../../test/support/memory-database.ts';
import { createPlayerHarness } from '../../test/support/player-harness.ts';
import type { CloudLink, DeviceLink } from '../core/ports.ts';

// Simulated days take seconds, and longer on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

const minute = (name: string): [string, number] => [name, 60];
const HOUR_MS = 3_600_000;
/** Timeout of a call. */
const CALL_TIMEOUT_MS = 20_000;

/** A player whose cloud can be made to accept every call and answer none. */
function setUpSilentCloud() {
  const clock = createManualClock(undefined, 3);
  const database = createMemoryDatabase();
  const media = createMemoryMediaCache({ index: database, maxCacheBytes: null });
  const cloud = createMemoryCloud({ clock });
  const silence = { on: false, waiting: 0, most: 0, calls: 0 };
  const neverAnswer = async (signal: AbortSignal): Promise<never> => {
    silence.calls += 1;
    silence.most = Math.max(silence.most, (silence.waiting += 1));
    await clock.sleep(CALL_TIMEOUT_MS, signal);
    silence.waiting -= 1;
    throw new Fault('cloud.unreachable', 'later', { reason: 'ETIMEDOUT' });
  };
  const device = (real: DeviceLink): DeviceLink => ({
    fetchManifest: (known, signal) => (silence.on ? neverAnswer(signal) : real.fetchManifest(known, signal)),
    sendHeartbeat: (body, signal) => (silence.on ? neverAnswer(signal) : real.sendHeartbeat(body, signal)),
    sendPlays: (plays, signal) => (silence.on ? neverAnswer(signal) : real.sendPlays(plays, signal)),
    reportCommandStatus: (id, status, signal) =>
      silence.on ? neverAnswer(signal) : real.reportCommandStatus(id, status, signal),
    sendScreenshot: (body, signal) => (silence.on ? neverAnswer(signal) : real.sendScreenshot(body, signal)),
    sendCapabilities: (body, signal) =>
      silence.on ? neverAnswer(signal) : real.sendCapabilities(body, signal),
    sendLogs: (body, signal) => (silence.on ? neverAnswer(signal) : real.sendLogs(body, signal)),
    answerLive: (body, signal) => (silence.on ? neverAnswer(signal) : real.answerLive(body, signal)),
    openSocket: (socket, signal) => (silence.on ? neverAnswer(signal) : real.openSocket(socket, signal)),
  });
  const link: CloudLink = {
    startPairing: (request, signal) => cloud.startPairing(request, signal),
    pollPairing: (session, signal) => cloud.pollPairing(session, signal),
    probe: (signal) => (silence.on ? neverAnswer(signal) : cloud.probe(signal)),
    createDeviceLink: (token) => device(cloud.createDeviceLink(token)),
  };
  const player = createPlayerHarness({ clock, database, media, cloud: link });
  return { clock, database, media, cloud, silence, player };
}

test('half a day of a cloud that answers no call lose no picture and no play, and pile up no calls', async () => {
  const { clock, database, media, cloud, silence, player } = setUpSilentCloud();
  for (const name of ['a', 'b', 'c', 'x', 'y']) {
    media.setDownload(`http://cdn.test/${name}.png`, Buffer.from(name));
  }
  cloud.setManifest(buildManifest({ revision: 'r1', playlists: { pl: ['a', 'b', 'c'].map(minute) } }));
  player.start();
  cloud.confirmPairing();
  await clock.advanceUntil(() => player.stage.current !== null, 60_000);
  await clock.advance(60_000);

  silence.on = true;
  cloud.unreachable = true;
  const before = player.stage.shown.length;
  await clock.advance(6 * HOUR_MS);
  player.powerCut();
  player.start();
  await clock.advance(6 * HOUR_MS);
  // A picture every minute, except around the power cut.
  expect(player.stage.shown.length - before).toBeGreaterThanOrEqual(12 * 60 - 10);
  expect(silence.most).toBeLessThanOrEqual(6);
  expect(silence.calls).toBeLessThan(12 * 60 * 6);
  expect(player.status()).toMatchObject({
    connection: 'offline',
    faults: [expect.objectContaining({ code: 'cloud.unreachable' })],
  });

  cloud.setManifest(buildManifest({ revision: 'r2', playlists: { pl: ['x', 'y'].map(minute) } }));
  silence.on = false;
  cloud.unreachable = false;
  await clock.advance(HOUR_MS);
  expect(player.status()).toMatchObject({ held_revision: 'r2', connection: 'online', faults: [] });
  const over = player.stage.shown.filter((one) => one.atMs < clock.wallMs() - 180_000).map((one) => one.id);
  expect(over.filter((id) => !cloud.received.plays.has(id))).toEqual([]);
  expect(cloud.received.duplicatePlays).toBe(0);
  expect(database.readPendingPlays(100).length).toBeLessThan(10);
});
