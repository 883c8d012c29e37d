import { Fault } from '@placard/protocol';
import { expect, test, vi } from 'vitest';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { sketchManifest } from '../../test/support/manifests.ts';
import { createMemoryCloud } from '../../test/support/memory-cloud.ts';
import { createMemoryMedia } from '../../test/support/memory-media.ts';
import { createMemoryStore } from '../../test/support/memory-store.ts';
import { createPlayerBox } from '../../test/support/player-box.ts';
import type { CloudLink, DeviceLink } from '../core/ports.ts';

// Simulated days take seconds, and more on a busy machine.
vi.setConfig({ testTimeout: 240_000 });

const minute = (name: string): [string, number] => [name, 60];
const HOUR_MS = 3_600_000;
/** When the link gives a call up. */
const PATIENCE_MS = 20_000;

/** A box whose cloud can be made to take every call and answer none. */
function silentHouse() {
  const clock = createManualClock();
  const store = createMemoryStore();
  const media = createMemoryMedia({ index: store, maxCacheBytes: null });
  const cloud = createMemoryCloud({ clock });
  const silence = { on: false, waiting: 0, most: 0, calls: 0 };
  const held = async (signal: AbortSignal): Promise<never> => {
    silence.calls += 1;
    silence.most = Math.max(silence.most, (silence.waiting += 1));
    await clock.sleep(PATIENCE_MS, signal);
    silence.waiting -= 1;
    throw new Fault('cloud.unreachable', 'later', { reason: 'ETIMEDOUT' });
  };
  const device = (real: DeviceLink): DeviceLink => ({
    manifest: (known, signal) => (silence.on ? held(signal) : real.manifest(known, signal)),
    heartbeat: (body, signal) => (silence.on ? held(signal) : real.heartbeat(body, signal)),
    plays: (plays, signal) => (silence.on ? held(signal) : real.plays(plays, signal)),
    commandStatus: (id, status, signal) =>
      silence.on ? held(signal) : real.commandStatus(id, status, signal),
    listen: (socket, signal) => (silence.on ? held(signal) : real.listen(socket, signal)),
  });
  const link: CloudLink = {
    startPairing: (request, signal) => cloud.startPairing(request, signal),
    pollPairing: (session, signal) => cloud.pollPairing(session, signal),
    probe: (signal) => (silence.on ? held(signal) : cloud.probe(signal)),
    device: (token) => device(cloud.device(token)),
  };
  const box = createPlayerBox({ clock, store, media, cloud: link });
  return { clock, store, media, cloud, silence, box };
}

test('a cloud that takes every call and answers none for two days costs no picture, no play and no heap of calls', async () => {
  const { clock, store, media, cloud, silence, box } = silentHouse();
  for (const name of ['a', 'b', 'c', 'x', 'y']) {
    media.serve(`http://cdn.test/${name}.png`, Buffer.from(name));
  }
  cloud.setManifest(sketchManifest({ revision: 'r1', playlists: { pl: ['a', 'b', 'c'].map(minute) } }));
  box.start();
  cloud.confirm();
  await clock.advanceUntil(() => box.stage.current !== null, 60_000);
  await clock.advance(60_000);

  silence.on = true;
  cloud.away = true;
  const before = box.stage.shown.length;
  await clock.advance(24 * HOUR_MS);
  box.powerCut();
  box.start();
  await clock.advance(24 * HOUR_MS);
  // A picture every minute, but for the one that the power cut fell into.
  expect(box.stage.shown.length - before).toBeGreaterThanOrEqual(48 * 60 - 10);
  expect(silence.most).toBeLessThanOrEqual(6);
  expect(silence.calls).toBeLessThan(48 * 60 * 6);
  expect(box.status()).toMatchObject({
    connection: 'offline',
    faults: [expect.objectContaining({ code: 'cloud.unreachable' })],
  });

  cloud.setManifest(sketchManifest({ revision: 'r2', playlists: { pl: ['x', 'y'].map(minute) } }));
  silence.on = false;
  cloud.away = false;
  await clock.advance(HOUR_MS);
  expect(box.status()).toMatchObject({ held_revision: 'r2', connection: 'online', faults: [] });
  const over = box.stage.shown.filter((one) => one.atMs < clock.wall() - 180_000).map((one) => one.id);
  expect(over.filter((id) => !cloud.seen.plays.has(id))).toEqual([]);
  expect(cloud.seen.playsTwice).toBe(0);
  expect(store.pendingPlays(100).length).toBeLessThan(10);
});
