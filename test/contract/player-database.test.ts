import { describe, expect, test } from 'vitest';
import { createEntry } from '../../src/core/commands/journal.ts';
import { sha256Of, buildManifest } from '../support/manifests.ts';
import { createShowing } from '../support/playback-driver.ts';
import { PLAYER_DATABASES } from '../support/player-databases.ts';

const NOON = Date.UTC(2026, 10, 20, 12);
const END = { endedAtMs: NOON, durationMs: 0, outcome: 'completed' as const, reason: null };
const sample = (minute: number, cpu: number) => ({
  measured_at: new Date(NOON + minute * 60_000).toISOString(),
  cpu_percent: cpu,
  memory_percent: null,
  disk_percent: null,
  temperature_celsius: null,
  wifi_signal_dbm: null,
});
const wireCommand = (id: string) => ({
  id,
  command: 'REFRESH' as const,
  expires_at: '2030-01-01T00:00:00.000Z',
});

describe.each(PLAYER_DATABASES)('the %s database', (_, make) => {
  test('keeps the identity, and deletes the device with all its data', () => {
    const { database, reopen } = make();
    expect(database.readIdentity()).toBe(null);
    database.saveIdentity({ deviceId: 'dev_1', deviceToken: 'secret' });
    database.saveTargetManifest(buildManifest({ playlists: { pl: ['a'] } }));
    database.savePlayEnd(createShowing(`play_${'0'.repeat(26)}`, 'a'), NOON, END, null);
    database.saveCommand(
      createEntry([], { id: 'cmd_1', command: 'REFRESH', expires_at: '2030-01-01T00:00:00.000Z' }, NOON)!,
    );
    const again = reopen();
    expect(again.readIdentity()).toEqual({ deviceId: 'dev_1', deviceToken: 'secret' });
    again.eraseDevice();
    const after = reopen();
    expect(after.readIdentity()).toBe(null);
    expect(after.readManifests()).toEqual({ held: null, target: null });
    expect(after.readPendingPlays(10)).toEqual([]);
    expect(after.readCommands()).toEqual([]);
  });

  test('keeps the pairing session until it is cleared', () => {
    const { database, reopen } = make();
    const session = {
      pairingId: 'pair_1',
      pollToken: 'secret',
      code: 'BCD-FGH',
      verificationUrl: 'http://cloud.test/pair',
      verificationUrlComplete: 'http://cloud.test/pair?code=BCD-FGH',
      expiresAtMs: NOON,
      intervalMs: 5_000,
    };
    database.savePairing(session);
    expect(reopen().readPairing()).toEqual(session);
    const again = reopen();
    again.savePairing(null);
    expect(again.readPairing()).toBe(null);
  });

  test('keeps the screen secret, also when the device is deleted', () => {
    const { database, reopen } = make();
    expect(database.readScreenSecret()).toBe(null);
    database.saveScreenSecret('s'.repeat(43));
    const again = reopen();
    expect(again.readScreenSecret()).toBe('s'.repeat(43));
    again.eraseDevice();
    expect(reopen().readScreenSecret()).toBe('s'.repeat(43));
  });

  test('the target manifest replaces the held one completely', () => {
    const { database, reopen } = make();
    const first = buildManifest({ revision: 'r1', playlists: { pl: ['a'] } });
    const second = buildManifest({ revision: 'r2', playlists: { pl: ['b'] } });
    database.saveTargetManifest(first);
    expect(database.readManifests()).toEqual({ held: null, target: first });
    database.promoteTargetManifest();
    database.saveTargetManifest(second);
    expect(reopen().readManifests()).toEqual({ held: first, target: second });
    const again = reopen();
    again.promoteTargetManifest();
    expect(again.readManifests()).toEqual({ held: second, target: null });
    again.promoteTargetManifest();
    expect(again.readManifests()).toEqual({ held: second, target: null });
  });

  test('a sample is stored once for its time', () => {
    const { database, reopen } = make();
    database.saveSample(sample(1, 1));
    database.saveSample(sample(0, 2));
    database.saveSample(sample(1, 3));
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
    const { database, reopen } = make();
    const first = createEntry([], wireCommand('cmd_1'), NOON)!;
    database.saveCommand(first);
    database.saveCommand(createEntry([], wireCommand('cmd_2'), NOON + 1)!);
    database.saveCommand({ ...first, stage: 'succeeded', told: 'succeeded', result: { ok: true } });
    const again = reopen();
    expect(again.readCommands().map((entry) => [entry.id, entry.stage])).toEqual([
      ['cmd_1', 'succeeded'],
      ['cmd_2', 'received'],
    ]);
    again.deleteReportedCommandsBefore(NOON + 60_000);
    expect(again.readCommands().map((entry) => entry.id)).toEqual(['cmd_2']);
  });

  test('keeps local settings, also when the device is deleted', () => {
    const { database, reopen } = make();
    expect(database.readLocalSettings()).toEqual({
      orientation: null,
      pinAttempts: { wrong: 0, lastAtMs: 0 },
    });
    const local = { orientation: 'portrait' as const, pinAttempts: { wrong: 3, lastAtMs: NOON } };
    database.saveLocalSettings(local);
    const again = reopen();
    expect(again.readLocalSettings()).toEqual(local);
    again.eraseDevice();
    expect(reopen().readLocalSettings()).toEqual(local);
  });

  test('keeps the last good time', () => {
    const { database, reopen } = make();
    expect(database.readLastGoodTime()).toBe(null);
    database.saveLastGoodTime(NOON);
    expect(reopen().readLastGoodTime()).toBe(NOON);
  });

  test('counts its starts, also after it was opened again', () => {
    const { database, reopen } = make();
    expect([database.countStart(), database.countStart()]).toEqual([1, 2]);
    expect(reopen().countStart()).toBe(3);
  });

  test('keeps whether updates are held, until the device is deleted', () => {
    const { database, reopen } = make();
    expect(database.readUpdatesHeld()).toBe(false);
    database.saveUpdatesHeld(true);
    expect(reopen().readUpdatesHeld()).toBe(true);
    const again = reopen();
    again.saveUpdatesHeld(false);
    expect(reopen().readUpdatesHeld()).toBe(false);
    const deleted = reopen();
    deleted.saveUpdatesHeld(true);
    deleted.eraseDevice();
    expect(reopen().readUpdatesHeld()).toBe(false);
  });

  test('unreferenced media are those in no manifest, least recently shown first', () => {
    const { database, reopen } = make();
    for (const name of ['a', 'b', 'c', 'd']) {
      database.saveMedia({ sha256: sha256Of(name), size: 1, contentType: 'image/png' });
    }
    database.saveTargetManifest(buildManifest({ playlists: { pl: ['a'] } }));
    database.promoteTargetManifest();
    database.saveTargetManifest(buildManifest({ playlists: { pl: ['b'] } }));
    const shown = createShowing(`play_${'0'.repeat(26)}`, 'c');
    database.savePlayStart(shown, NOON, null);
    database.savePlayEnd(shown, NOON, END, null);
    expect(
      reopen()
        .listUnreferencedMedia()
        .map((row) => row.sha256),
    ).toEqual([sha256Of('d'), sha256Of('c')]);
    const again = reopen();
    again.promoteTargetManifest();
    expect(again.listUnreferencedMedia().map((row) => row.sha256)).toContain(sha256Of('a'));
    expect(['a', 'b', 'c'].map((name) => again.isReferenced(sha256Of(name)))).toEqual([false, true, false]);
    again.removeMedia(sha256Of('d'));
    expect(
      again
        .listMedia()
        .map((row) => row.sha256)
        .toSorted(),
    ).toEqual(['a', 'b', 'c'].map(sha256Of).toSorted());
  });
});
