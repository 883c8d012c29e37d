import { describe, expect, test } from 'vitest';
import { receive } from '../../src/core/commands/journal.ts';
import { hashOf, sketchManifest } from '../support/manifests.ts';
import { draftOf } from '../support/playback-machine.ts';
import { STORES } from '../support/stores.ts';

const NOON = Date.UTC(2026, 10, 20, 12);
const sample = (minute: number, cpu: number) => ({
  measured_at: new Date(NOON + minute * 60_000).toISOString(),
  cpu_percent: cpu,
  memory_percent: null,
  disk_percent: null,
  temperature_celsius: null,
  wifi_signal_dbm: null,
});
const wire = (id: string) => ({
  id,
  command: 'REFRESH' as const,
  expires_at: '2030-01-01T00:00:00.000Z',
});

describe.each(STORES)('the %s store', (_, make) => {
  test('keeps the identity, and forgets the device with all that came with it', () => {
    const { store, reopen } = make();
    expect(store.readIdentity()).toBe(null);
    store.saveIdentity({ deviceId: 'dev_1', deviceToken: 'secret' });
    store.saveTarget(sketchManifest({ playlists: { pl: ['a'] } }));
    const end = { endedAtMs: NOON, durationMs: 0, outcome: 'completed' as const, reason: null };
    store.playEnded(draftOf(`play_${'0'.repeat(26)}`, 'a'), NOON, end, null);
    store.saveCommand(
      receive([], { id: 'cmd_1', command: 'REFRESH', expires_at: '2030-01-01T00:00:00.000Z' }, NOON)!,
    );
    const again = reopen();
    expect(again.readIdentity()).toEqual({ deviceId: 'dev_1', deviceToken: 'secret' });
    again.forgetDevice();
    const after = reopen();
    expect(after.readIdentity()).toBe(null);
    expect(after.readManifests()).toEqual({ held: null, target: null });
    expect(after.pendingPlays(10)).toEqual([]);
    expect(after.readCommands()).toEqual([]);
  });

  test('keeps the pairing session until it is told to let go', () => {
    const { store, reopen } = make();
    const session = {
      pairingId: 'pair_1',
      pollToken: 'secret',
      code: 'BCD-FGH',
      verificationUrl: 'http://cloud.test/pair',
      verificationUrlComplete: 'http://cloud.test/pair?code=BCD-FGH',
      expiresAtMs: NOON,
      intervalMs: 5_000,
    };
    store.savePairing(session);
    expect(reopen().readPairing()).toEqual(session);
    const again = reopen();
    again.savePairing(null);
    expect(again.readPairing()).toBe(null);
  });

  test('keeps the secret of the screen, also when the device is forgotten', () => {
    const { store, reopen } = make();
    expect(store.readScreenSecret()).toBe(null);
    store.saveScreenSecret('s'.repeat(43));
    const again = reopen();
    expect(again.readScreenSecret()).toBe('s'.repeat(43));
    again.forgetDevice();
    expect(reopen().readScreenSecret()).toBe('s'.repeat(43));
  });

  test('the target takes the place of what is held, whole', () => {
    const { store, reopen } = make();
    const first = sketchManifest({ revision: 'r1', playlists: { pl: ['a'] } });
    const second = sketchManifest({ revision: 'r2', playlists: { pl: ['b'] } });
    store.saveTarget(first);
    expect(store.readManifests()).toEqual({ held: null, target: first });
    store.promoteTarget();
    store.saveTarget(second);
    expect(reopen().readManifests()).toEqual({ held: first, target: second });
    const again = reopen();
    again.promoteTarget();
    expect(again.readManifests()).toEqual({ held: second, target: null });
    again.promoteTarget();
    expect(again.readManifests()).toEqual({ held: second, target: null });
  });

  test('a sample is there once for its instant', () => {
    const { store, reopen } = make();
    store.saveSample(sample(1, 1));
    store.saveSample(sample(0, 2));
    store.saveSample(sample(1, 3));
    expect(
      reopen()
        .readSamples(10)
        .map((one) => one.cpu_percent),
    ).toEqual([2, 3]);
    const again = reopen();
    expect(again.readSamples(1)).toHaveLength(1);
    again.deleteSamples([sample(0, 0).measured_at]);
    expect(again.readSamples(10).map((one) => one.cpu_percent)).toEqual([3]);
  });

  test('commands are kept until they are reported and old', () => {
    const { store, reopen } = make();
    const first = receive([], wire('cmd_1'), NOON)!;
    store.saveCommand(first);
    store.saveCommand(receive([], wire('cmd_2'), NOON + 1)!);
    store.saveCommand({ ...first, stage: 'succeeded', told: 'succeeded', result: { ok: true } });
    const again = reopen();
    expect(again.readCommands().map((entry) => [entry.id, entry.stage])).toEqual([
      ['cmd_1', 'succeeded'],
      ['cmd_2', 'received'],
    ]);
    again.forgetCommandsBefore(NOON + 60_000);
    expect(again.readCommands().map((entry) => entry.id)).toEqual(['cmd_2']);
  });

  test('knows what was set on this box, also when the device is forgotten', () => {
    const { store, reopen } = make();
    expect(store.readLocal()).toEqual({ orientation: null, pinAttempts: { wrong: 0, lastAtMs: 0 } });
    const local = { orientation: 'portrait' as const, pinAttempts: { wrong: 3, lastAtMs: NOON } };
    store.saveLocal(local);
    const again = reopen();
    expect(again.readLocal()).toEqual(local);
    again.forgetDevice();
    expect(reopen().readLocal()).toEqual(local);
  });

  test('knows the last good time', () => {
    const { store, reopen } = make();
    expect(store.readLastGoodTime()).toBe(null);
    store.saveLastGoodTime(NOON);
    expect(reopen().readLastGoodTime()).toBe(NOON);
  });

  test('unnamed media are those in no manifest, least recently shown first', () => {
    const { store, reopen } = make();
    for (const name of ['a', 'b', 'c', 'd']) {
      store.putMedia({ sha256: hashOf(name), size: 1, contentType: 'image/png' });
    }
    store.saveTarget(sketchManifest({ playlists: { pl: ['a'] } }));
    store.promoteTarget();
    store.saveTarget(sketchManifest({ playlists: { pl: ['b'] } }));
    store.mediaShown(hashOf('c'), NOON);
    expect(
      reopen()
        .unnamedMedia()
        .map((row) => row.sha256),
    ).toEqual([hashOf('d'), hashOf('c')]);
    const again = reopen();
    again.promoteTarget();
    expect(again.unnamedMedia().map((row) => row.sha256)).toContain(hashOf('a'));
    expect(['a', 'b', 'c'].map((name) => again.isNamed(hashOf(name)))).toEqual([false, true, false]);
    again.removeMedia(hashOf('d'));
    expect(
      again
        .listMedia()
        .map((row) => row.sha256)
        .toSorted(),
    ).toEqual(['a', 'b', 'c'].map(hashOf).toSorted());
  });
});
