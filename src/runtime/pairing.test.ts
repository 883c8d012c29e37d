import { Fault, FAULTS } from '@placard/protocol';
import { describe, expect, test } from 'vitest';
import type { PlayerDatabase } from '../core/ports.ts';
import { createMemoryDatabase } from '../../test/support/memory-database.ts';
import { createSimulatedPlayer } from '../../test/support/simulated-player.ts';
import { createFullDiskDatabase } from '../../test/support/full-disk-database.ts';

describe('pairing', () => {
  test('shows a code, confirms with the device name, and plays', async () => {
    const { clock, cloud, player, publish } = createSimulatedPlayer();
    publish({ playlists: { pl: ['a', 'b'] } });
    player.start();
    await clock.advance(1_000);
    expect(player.stage.screen).toMatchObject({ kind: 'pairing', code: 'BCD-FGH', problem: null });
    expect(player.status()).toMatchObject({ state: 'pairing', code: 'BCD-FGH', device_id: null });
    cloud.confirmPairing();
    await clock.advanceUntil(() => player.stage.screen?.kind === 'paired', 6_000);
    expect(player.stage.screen).toEqual({ kind: 'paired', device_name: 'Lobby' });
    // While the confirmation covers the stage, nothing starts or counts as shown.
    await clock.advance(4_800);
    expect(player.stage.screen).toEqual({ kind: 'paired', device_name: 'Lobby' });
    expect(player.status()).toMatchObject({ now_playing: null, next: { item_id: 'pl/a' } });
    await clock.advance(200);
    expect(player.stage.screen).toEqual({ kind: 'stage' });
    expect(player.stage.shown).toHaveLength(1);
    expect(player.status()).toMatchObject({
      state: 'paired',
      code: null,
      device_id: 'dev_1',
      connection: 'online',
      now_playing: { playlist_id: 'pl', item_id: 'pl/a', content_id: 'asset_a' },
      next: { item_id: 'pl/b' },
      playing_because: { source: 'deployment', schedule_id: null, rule_id: null },
      blocked_by: null,
      faults: [],
    });
  });

  test('an unreachable cloud is shown on the screen and retried until it responds', async () => {
    const { clock, cloud, player } = createSimulatedPlayer();
    cloud.unreachable = true;
    player.start();
    await clock.advance(30_000);
    expect(player.stage.screen).toMatchObject({ kind: 'pairing', code: null, problem: 'cloud.unreachable' });
    expect(player.stage.screen).toHaveProperty(
      'steps',
      expect.arrayContaining([{ step: 'tls', state: 'failed', hint: 'connection_refused' }]),
    );
    expect(player.status()).toMatchObject({
      connection: 'offline',
      faults: [{ code: 'cloud.unreachable', help: FAULTS['cloud.unreachable'] }],
    });
    cloud.unreachable = false;
    await clock.advance(60_000);
    expect(player.stage.screen).toMatchObject({ kind: 'pairing', code: 'BCD-FGH', problem: null });
    expect(player.status()).toMatchObject({ faults: [] });
  });

  test('the next code replaces the previous one before it expires, without flicker', async () => {
    const { clock, cloud, player } = createSimulatedPlayer();
    player.start();
    await clock.advance(1_000);
    const seen = new Set<unknown>();
    const look = () => {
      if (player.stage.screen?.kind === 'pairing') {
        seen.add(player.stage.screen.code);
      }
      return false;
    };
    await clock.advanceUntil(() => look() || seen.size === 2, 900_000);
    expect([...seen]).toEqual(['BCD-FGH', 'JKL-MNP']);
    // The previous code can still be claimed.
    await clock.advance(30_000);
    cloud.confirmPairing('BCD-FGH');
    await clock.advance(10_000);
    expect(player.status()).toMatchObject({ state: 'paired', device_id: 'dev_1' });
  });

  test('an expired code is not shown, and one claimed at the last moment still pairs', async () => {
    const { clock, cloud, player } = createSimulatedPlayer();
    player.start();
    await clock.advance(600_000);
    cloud.unreachable = true;
    await clock.advance(299_000);
    expect(player.stage.screen).toMatchObject({
      kind: 'pairing',
      code: 'BCD-FGH',
      problem: 'cloud.unreachable',
    });
    await clock.advance(2_000);
    expect(player.stage.screen).toMatchObject({ kind: 'pairing', code: null, problem: 'cloud.unreachable' });
    expect(player.status()).toMatchObject({ state: 'pairing', code: null });
    cloud.confirmPairing('BCD-FGH');
    cloud.unreachable = false;
    await clock.advance(60_000);
    expect(player.status()).toMatchObject({ state: 'paired', device_id: 'dev_1' });
  });

  test('sends a secret created at the first start, and the same one after a restart and after unpairing', async () => {
    const { clock, database, cloud, player } = createSimulatedPlayer();
    player.start();
    await clock.advance(1_000);
    expect(cloud.received.screenSecrets).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
    await player.stop();
    database.savePairing(null);
    player.start();
    await clock.advance(1_000);
    cloud.confirmPairing();
    await clock.advance(30_000);
    cloud.unpair();
    await clock.advance(2_000);
    expect(cloud.received.screenSecrets).toHaveLength(3);
    expect(new Set(cloud.received.screenSecrets)).toEqual(new Set([database.readScreenSecret()]));
  });

  test('a secret that cannot be saved is used until the player ends', async () => {
    const { database, stored, disk } = createFullDiskDatabase('saveScreenSecret');
    const { clock, cloud, player } = createSimulatedPlayer({ database });
    disk.full = true;
    player.start();
    await clock.advance(900_000);
    expect(player.stage.screen).toMatchObject({ kind: 'pairing', code: 'JKL-MNP' });
    expect(stored.readScreenSecret()).toBe(null);
    expect(cloud.received.screenSecrets).toHaveLength(2);
    expect(new Set(cloud.received.screenSecrets).size).toBe(1);
  });

  test('a pairing is complete only once it is saved', async () => {
    const { database, stored, disk } = createFullDiskDatabase('saveIdentity');
    const { clock, cloud, player } = createSimulatedPlayer({ database });
    disk.full = true;
    player.start();
    await clock.advance(1_000);
    cloud.confirmPairing();
    await clock.advance(30_000);
    expect(player.stage.screen).toMatchObject({ kind: 'pairing', code: 'BCD-FGH', problem: 'disk.full' });
    expect(cloud.received.heartbeats).toEqual([]);
    disk.full = false;
    await clock.advance(60_000);
    expect(stored.readIdentity()).toMatchObject({ deviceId: 'dev_1' });
    expect(player.status()).toMatchObject({ state: 'paired' });
  });

  test('the code stays on the screen until the device name has arrived', async () => {
    const stored = createMemoryDatabase();
    const { clock, cloud, player, publish } = createSimulatedPlayer({
      database: {
        ...stored,
        saveIdentity(identity) {
          stored.saveIdentity(identity);
          cloud.unreachable = true;
        },
      },
    });
    publish({ playlists: { pl: ['a', 'b'] } });
    player.start();
    await clock.advance(1_000);
    cloud.confirmPairing();
    await clock.advanceUntil(() => player.status()['state'] === 'paired', 30_000);
    await clock.advance(30_000);
    expect(player.stage.screen).toMatchObject({ kind: 'pairing', code: 'BCD-FGH' });
    cloud.unreachable = false;
    await clock.advanceUntil(() => player.stage.screen?.kind === 'paired', 120_000);
    expect(player.stage.screen).toEqual({ kind: 'paired', device_name: 'Lobby' });
  });

  test('a finished pairing leaves no fault, even if its code could not be deleted', async () => {
    const stored = createMemoryDatabase();
    const database: PlayerDatabase = {
      ...stored,
      savePairing(session) {
        if (session === null) {
          throw new Fault('disk.full', 'later');
        }
        stored.savePairing(session);
      },
    };
    const { player, pairAndPlay } = createSimulatedPlayer({ database });
    await pairAndPlay();
    expect(player.status()).toMatchObject({ state: 'paired', faults: [] });
  });

  test('being unpaired erases everything and shows a code again', async () => {
    const { clock, database, media, cloud, player, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    await clock.advance(25_000);
    cloud.unpair();
    await clock.advance(2_000);
    expect(player.stage.screen).toMatchObject({ kind: 'pairing', code: 'BCD-FGH' });
    expect(player.stage.isEmpty).toBe(true);
    expect(database.readIdentity()).toBe(null);
    expect(database.readManifests()).toEqual({ held: null, target: null });
    expect(database.readPendingPlays(10)).toEqual([]);
    expect(media.cachedHashes().size).toBe(0);
    expect(player.status()).toMatchObject({ state: 'pairing', now_playing: null, held_revision: null });
  });

  test('plays queued on a full disk when the device was deleted are not reported by the next device', async () => {
    const { database, disk } = createFullDiskDatabase('transaction');
    const { clock, cloud, player, pairAndPlay } = createSimulatedPlayer({ database });
    await pairAndPlay();
    disk.full = true;
    const shownBefore = player.stage.shown.length;
    await clock.advance(24_000);
    const unwrittenIds = player.stage.shown.slice(shownBefore).map((one) => one.id);
    expect(unwrittenIds.length).toBeGreaterThan(1);
    cloud.unpair();
    await clock.advance(2_000);
    expect(player.stage.screen).toMatchObject({ kind: 'pairing' });
    disk.full = false;
    cloud.confirmPairing();
    await clock.advance(60_000);
    const reportedIds = [...cloud.received.plays.keys()];
    expect(reportedIds.length).toBeGreaterThan(2);
    expect(reportedIds.filter((id) => unwrittenIds.includes(id))).toEqual([]);
  });

  test('being unpaired while offline is noticed when the cloud is reachable again', async () => {
    const { clock, database, cloud, player, pairAndPlay } = createSimulatedPlayer();
    await pairAndPlay();
    cloud.unreachable = true;
    cloud.unpair();
    await clock.advance(3_600_000);
    expect(database.readIdentity()).not.toBe(null);
    expect(player.stage.current).not.toBe(null);
    cloud.unreachable = false;
    await clock.advance(120_000);
    expect(database.readIdentity()).toBe(null);
    expect(player.stage.screen).toMatchObject({ kind: 'pairing' });
  });
});
