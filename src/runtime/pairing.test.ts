import { Fault, FAULTS } from '@placard/protocol';
import { describe, expect, test } from 'vitest';
import type { Store } from '../core/ports.ts';
import { createMemoryStore } from '../../test/support/memory-store.ts';
import { house } from '../../test/support/simulated-house.ts';
import { createTightStore } from '../../test/support/tight-store.ts';

describe('pairing', () => {
  test('shows a code, confirms with the name of the device, and plays', async () => {
    const { clock, cloud, box, publish } = house();
    publish({ playlists: { pl: ['a', 'b'] } });
    box.start();
    await clock.advance(1_000);
    expect(box.stage.screen).toMatchObject({ kind: 'pairing', code: 'BCD-FGH', problem: null });
    expect(box.status()).toMatchObject({ state: 'pairing', code: 'BCD-FGH', device_id: null });
    cloud.confirm();
    await clock.advanceUntil(() => box.stage.screen?.kind === 'paired', 6_000);
    expect(box.stage.screen).toEqual({ kind: 'paired', device_name: 'Lobby' });
    // What is covered is not begun, and does not count as shown.
    await clock.advance(4_800);
    expect(box.stage.screen).toEqual({ kind: 'paired', device_name: 'Lobby' });
    expect(box.status()).toMatchObject({ now_playing: null, next: { item_id: 'pl/a' } });
    await clock.advance(200);
    expect(box.stage.screen).toEqual({ kind: 'stage' });
    expect(box.stage.shown).toHaveLength(1);
    expect(box.status()).toMatchObject({
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

  test('an unreachable cloud is told on the screen, and asked again until it is there', async () => {
    const { clock, cloud, box } = house();
    cloud.away = true;
    box.start();
    await clock.advance(30_000);
    expect(box.stage.screen).toMatchObject({ kind: 'pairing', code: null, problem: 'cloud.unreachable' });
    expect(box.stage.screen).toHaveProperty(
      'steps',
      expect.arrayContaining([{ step: 'tls', state: 'failed', hint: 'connection_refused' }]),
    );
    expect(box.status()).toMatchObject({
      connection: 'offline',
      faults: [{ code: 'cloud.unreachable', help: FAULTS['cloud.unreachable'].help }],
    });
    cloud.away = false;
    await clock.advance(60_000);
    expect(box.stage.screen).toMatchObject({ kind: 'pairing', code: 'BCD-FGH', problem: null });
    expect(box.status()).toMatchObject({ faults: [] });
  });

  test('the next code is there before the last one expires, and nothing flickers', async () => {
    const { clock, cloud, box } = house();
    box.start();
    await clock.advance(1_000);
    const seen = new Set<unknown>();
    const look = () => {
      if (box.stage.screen?.kind === 'pairing') seen.add(box.stage.screen.code);
      return false;
    };
    await clock.advanceUntil(() => look() || seen.size === 2, 900_000);
    expect([...seen]).toEqual(['BCD-FGH', 'JKL-MNP']);
    // Whoever has just typed the code of before is not too late.
    await clock.advance(30_000);
    cloud.confirm('BCD-FGH');
    await clock.advance(10_000);
    expect(box.status()).toMatchObject({ state: 'paired', device_id: 'dev_1' });
  });

  test('a code that has expired is not shown, and one typed at the last moment pairs all the same', async () => {
    const { clock, cloud, box } = house();
    box.start();
    await clock.advance(600_000);
    cloud.away = true;
    await clock.advance(299_000);
    expect(box.stage.screen).toMatchObject({
      kind: 'pairing',
      code: 'BCD-FGH',
      problem: 'cloud.unreachable',
    });
    await clock.advance(2_000);
    expect(box.stage.screen).toMatchObject({ kind: 'pairing', code: null, problem: 'cloud.unreachable' });
    expect(box.status()).toMatchObject({ state: 'pairing', code: null });
    cloud.confirm('BCD-FGH');
    cloud.away = false;
    await clock.advance(60_000);
    expect(box.status()).toMatchObject({ state: 'paired', device_id: 'dev_1' });
  });

  test('brings a secret that was made at the first start, and the same after a restart and an unpairing', async () => {
    const { clock, store, cloud, box } = house();
    box.start();
    await clock.advance(1_000);
    expect(cloud.seen.secrets).toEqual([expect.stringMatching(/^[\w-]{43}$/)]);
    await box.stop();
    store.savePairing(null);
    box.start();
    await clock.advance(1_000);
    cloud.confirm();
    await clock.advance(30_000);
    cloud.unpair();
    await clock.advance(2_000);
    expect(cloud.seen.secrets).toHaveLength(3);
    expect(new Set(cloud.seen.secrets)).toEqual(new Set([store.readScreenSecret()]));
  });

  test('a secret that the disk does not take serves until the player ends', async () => {
    const { store, kept, disk } = createTightStore('saveScreenSecret');
    const { clock, cloud, box } = house({ store });
    disk.full = true;
    box.start();
    await clock.advance(900_000);
    expect(box.stage.screen).toMatchObject({ kind: 'pairing', code: 'JKL-MNP' });
    expect(kept.readScreenSecret()).toBe(null);
    expect(cloud.seen.secrets).toHaveLength(2);
    expect(new Set(cloud.seen.secrets).size).toBe(1);
  });

  test('a pairing that cannot be written down is not taken for one, until it can', async () => {
    const { store, kept, disk } = createTightStore('saveIdentity');
    const { clock, cloud, box } = house({ store });
    disk.full = true;
    box.start();
    await clock.advance(1_000);
    cloud.confirm();
    await clock.advance(30_000);
    expect(box.stage.screen).toMatchObject({ kind: 'pairing', code: 'BCD-FGH', problem: 'disk.full' });
    expect(cloud.seen.heartbeats).toEqual([]);
    disk.full = false;
    await clock.advance(60_000);
    expect(kept.readIdentity()).toMatchObject({ deviceId: 'dev_1' });
    expect(box.status()).toMatchObject({ state: 'paired' });
  });

  test('the code stays up until there is a name to confirm it with', async () => {
    const kept = createMemoryStore();
    const { clock, cloud, box, publish } = house({
      store: {
        ...kept,
        saveIdentity(identity) {
          kept.saveIdentity(identity);
          cloud.away = true;
        },
      },
    });
    publish({ playlists: { pl: ['a', 'b'] } });
    box.start();
    await clock.advance(1_000);
    cloud.confirm();
    await clock.advanceUntil(() => box.status()['state'] === 'paired', 30_000);
    await clock.advance(30_000);
    expect(box.stage.screen).toMatchObject({ kind: 'pairing', code: 'BCD-FGH' });
    cloud.away = false;
    await clock.advanceUntil(() => box.stage.screen?.kind === 'paired', 120_000);
    expect(box.stage.screen).toEqual({ kind: 'paired', device_name: 'Lobby' });
  });

  test('a pairing that is over leaves no fault of its own, though its code could not be forgotten', async () => {
    const kept = createMemoryStore();
    const store: Store = {
      ...kept,
      savePairing(session) {
        if (session === null) throw new Fault('disk.full', 'later');
        kept.savePairing(session);
      },
    };
    const { box, settle } = house({ store });
    await settle();
    expect(box.status()).toMatchObject({ state: 'paired', faults: [] });
  });

  test('being unpaired erases everything and shows a code again', async () => {
    const { clock, store, media, cloud, box, settle } = house();
    await settle();
    await clock.advance(25_000);
    cloud.unpair();
    await clock.advance(2_000);
    expect(box.stage.screen).toMatchObject({ kind: 'pairing', code: 'BCD-FGH' });
    expect(box.stage.empty).toBe(true);
    expect(store.readIdentity()).toBe(null);
    expect(store.readManifests()).toEqual({ held: null, target: null });
    expect(store.pendingPlays(10)).toEqual([]);
    expect(media.held().size).toBe(0);
    expect(box.status()).toMatchObject({ state: 'pairing', now_playing: null, held_revision: null });
  });

  test('what a full disk had not taken when the device was deleted is not told by the next one', async () => {
    const { store, disk } = createTightStore('together');
    const { clock, cloud, box, settle } = house({ store });
    await settle();
    disk.full = true;
    const shownBefore = box.stage.shown.length;
    await clock.advance(24_000);
    const owed = box.stage.shown.slice(shownBefore).map((one) => one.id);
    expect(owed.length).toBeGreaterThan(1);
    cloud.unpair();
    await clock.advance(2_000);
    expect(box.stage.screen).toMatchObject({ kind: 'pairing' });
    disk.full = false;
    cloud.confirm();
    await clock.advance(60_000);
    const told = [...cloud.seen.plays.keys()];
    expect(told.length).toBeGreaterThan(2);
    expect(told.filter((id) => owed.includes(id))).toEqual([]);
  });

  test('being unpaired while offline is noticed when the cloud is there again', async () => {
    const { clock, store, cloud, box, settle } = house();
    await settle();
    cloud.away = true;
    cloud.unpair();
    await clock.advance(3_600_000);
    expect(store.readIdentity()).not.toBe(null);
    expect(box.stage.current).not.toBe(null);
    cloud.away = false;
    await clock.advance(120_000);
    expect(store.readIdentity()).toBe(null);
    expect(box.stage.screen).toMatchObject({ kind: 'pairing' });
  });
});
