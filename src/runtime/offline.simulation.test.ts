import { Fault } from '@placard/protocol';
import type { HeartbeatRequest } from '@placard/protocol';
import { describe, expect, test, vi } from 'vitest';
import { createSimulatedPlayer, NOON } from '../../test/support/simulated-player.ts';

// Simulated hours take seconds, and longer on a busy machine.
vi.setConfig({ testTimeout: 120_000 });

const samplesOf = (beats: HeartbeatRequest[]) => beats.flatMap((beat) => beat.samples);

describe('without the cloud', () => {
  test('the held manifest plays from the first second, without waiting for any response', async () => {
    const { clock, cloud, player, pairAndPlay, shownNames } = createSimulatedPlayer();
    await pairAndPlay();
    player.powerCut();
    cloud.unreachable = true;
    const before = cloud.received.callCount;
    const count = shownNames().length;
    player.start();
    await clock.advance(49);
    expect(cloud.received.callCount).toBe(before);
    await clock.advance(2);
    expect(shownNames().length).toBe(count + 1);
    expect(cloud.received.callCount).toBeGreaterThan(before);
    await clock.advance(3_600_000);
    expect(shownNames().length).toBeGreaterThan(355);
    expect(player.status()).toMatchObject({ state: 'paired', connection: 'offline' });
  });

  test('plays and samples of the outage are delivered once each afterwards', async () => {
    const { clock, database, cloud, player, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    await clock.advance(60_000);
    cloud.unreachable = true;
    await clock.advance(3_600_000);
    expect(player.status()).toMatchObject({ connection: 'offline', faults: [{ code: 'cloud.unreachable' }] });
    cloud.unreachable = false;
    await clock.advance(120_000);
    expect(player.status()).toMatchObject({ connection: 'online', faults: [] });
    const ended = player.stage.shown.filter((one) => one.atMs + 10_000 <= clock.wallMs() - 10_000);
    expect(ended.map((one) => one.id).filter((id) => !cloud.received.plays.has(id))).toEqual([]);
    expect(cloud.received.duplicatePlays).toBe(0);
    expect(database.readPendingPlays(500).length).toBeLessThan(3);
    const measured = samplesOf(cloud.received.heartbeats).map((sample) => sample.measured_at);
    expect(new Set(measured).size).toBe(measured.length);
    expect(measured.length).toBeGreaterThan(60);
    expect(database.readSamples(10)).toEqual([]);
  });

  test.each([
    ['reports all its plays when the cloud is reachable', false],
    ['drops plays older than 30 days when it is not, and counts them', true],
  ])('a device that was off for three months %s', async (_, away) => {
    const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    cloud.unreachable = true;
    await clock.advance(60_000);
    player.powerCut();
    const before = player.stage.shown.map((one) => one.id);
    clock.setWall(NOON + 90 * 24 * 3_600_000);
    cloud.unreachable = away;
    player.start();
    await clock.advance(60_000);
    const dropped = Number(player.status().plays_dropped);
    const reportedCount = before.filter((id) => cloud.received.plays.has(id)).length;
    expect([dropped, reportedCount]).toEqual(away ? [before.length, 0] : [0, before.length]);
  });

  test('no sample is taken while the clock is in the past', async () => {
    const { clock, database, cloud, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    clock.setWall(Date.UTC(2013, 0, 1));
    cloud.unreachable = true;
    await clock.advance(600_000);
    expect(database.readSamples(100)).toEqual([]);
  });

  test.each([
    ['a server error', new Fault('cloud.unreachable', 'later', { status: 500 })],
    ['a login page', new Fault('cloud.not_placard', 'later', { status: 200 })],
    ['a 403 response', new Fault('cloud.refused', 'later', { status: 403 })],
    ['an expired certificate', new Fault('cloud.tls', 'later', { reason: 'CERT_HAS_EXPIRED' })],
    ['a 429 response', new Fault('cloud.busy', { afterMs: 600_000 }, { status: 429 })],
  ])(
    '%s for hours neither stops playback nor unpairs, and its fault is cleared afterwards',
    async (_, fault) => {
      const { clock, database, cloud, player, pairAndPlay } = createSimulatedPlayer();
      await pairAndPlay();
      cloud.failure = fault;
      const [shown, calls] = [player.stage.shown.length, cloud.received.callCount];
      await clock.advance(2 * 3_600_000);
      expect(player.stage.shown.length - shown).toBe(720);
      expect(database.readIdentity()).not.toBe(null);
      expect(player.status()).toMatchObject({ connection: 'offline', faults: [{ code: fault.code }] });
      // Heartbeats, plays and the socket about once a minute each, and less often after a 429.
      expect(cloud.received.callCount - calls).toBeLessThan(fault.code === 'cloud.busy' ? 100 : 900);
      cloud.failure = null;
      await clock.advance(12 * 60_000);
      expect(player.status()).toMatchObject({ connection: 'online', faults: [] });
      expect(cloud.received.duplicatePlays).toBe(0);
      expect(database.readPendingPlays(500).length).toBeLessThan(3);
    },
  );

  test('with blocked sockets, changes still arrive by heartbeat', async () => {
    const { clock, cloud, player, publish, pairAndPlay } = createSimulatedPlayer();
    cloud.socketsBlocked = true;
    await pairAndPlay();
    const manifest = publish({ playlists: { pl: ['x'] } });
    await clock.advance(70_000);
    expect(player.status()).toMatchObject({ connection: 'online', held_revision: manifest.revision });
  });
});
