import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { createEntry } from '../../core/commands/journal.ts';
import { mountSmallDisk, mountUnreadableDisk } from '../../../test/support/test-disks.ts';
import { buildManifest } from '../../../test/support/manifests.ts';
import { createShowing } from '../../../test/support/playback-driver.ts';
import { corruptTable, corruptFile } from '../../../test/support/corrupt-file.ts';
import { openPlayerDatabase } from '../../../test/support/open-player-database.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';

const NOON = Date.UTC(2026, 10, 20, 12);
const IDENTITY = { deviceId: 'dev_1', deviceToken: 'secret' };

const open = (dir: string, onCorruption = () => {}) =>
  openPlayerDatabase(dir, { server: 'http://one.test', nowMs: 1_234, onCorruption });

/** A manifest that fills more pages than SQLite caches in memory. */
const large = (revision: string) =>
  buildManifest({
    revision,
    playlists: { pl: Array.from({ length: 12_000 }, (_, n) => `picture-number-${n}`) },
  });

describe('a file that is damaged while it is in use', () => {
  test('is reported when a damaged page is read, and set aside by the next process', () => {
    const dir = tempDir();
    let damaged = 0;
    const database = open(dir, () => (damaged += 1));
    database.saveIdentity(IDENTITY);
    database.saveTargetManifest(large('r1'));
    database.promoteTargetManifest();
    for (const name of ['player.sqlite', 'player.sqlite-wal']) {
      corruptFile(join(dir, name));
    }
    expect(() => database.readManifests()).toThrow(expect.objectContaining({ code: 'store.corrupt' }));
    expect(damaged).toBeGreaterThan(0);
    database.close();
    const next = open(dir);
    expect(next.damagedCopyPath).toBe(join(dir, 'player.sqlite.damaged-1234'));
    expect(next.readIdentity()).toEqual(IDENTITY);
    next.close();
    expect(open(dir).damagedCopyPath).toBe(null);
  });

  test('is set aside even if the quick check finds nothing', () => {
    const dir = tempDir();
    open(dir).close();
    writeFileSync(join(dir, 'player.sqlite.suspect'), '');
    expect(open(dir).damagedCopyPath).not.toBe(null);
  });
});

describe('the readable rows of a damaged file', () => {
  test('are salvaged: unreported plays, finished commands, and the held manifest', () => {
    const dir = tempDir();
    const file = join(dir, 'player.sqlite');
    const before = open(dir);
    const manifest = buildManifest({ revision: 'r1', playlists: { pl: ['a', 'b'] } });
    before.saveIdentity(IDENTITY);
    before.saveTargetManifest(manifest);
    before.promoteTargetManifest();
    const ids = Array.from({ length: 300 }, (_, n) => `play_${String(n).padStart(26, '0')}`);
    const end = { durationMs: 1_000, outcome: 'completed' as const, reason: null };
    for (const [n, id] of ids.entries()) {
      before.savePlayEnd(
        createShowing(id, 'a'),
        NOON + n * 1_000,
        { ...end, endedAtMs: NOON + n * 1_000 + 1_000 },
        null,
      );
    }
    before.savePlayStart(createShowing(`play_${'x'.repeat(26)}`, 'a'), NOON, null);
    const command = createEntry(
      [],
      { id: 'cmd_1', command: 'REBOOT', expires_at: '2030-01-01T00:00:00.000Z' },
      NOON,
    )!;
    before.saveCommand({ ...command, stage: 'executing' });
    before.saveLocalSettings({ orientation: 'portrait', pinAttempts: { wrong: 0, lastAtMs: 0 } });
    before.saveLastGoodTime(NOON);
    before.saveSample({
      measured_at: new Date(NOON).toISOString(),
      cpu_percent: 1,
      memory_percent: null,
      disk_percent: null,
      temperature_celsius: null,
      wifi_signal_dbm: null,
    });
    before.close();
    corruptTable(file, 'samples');

    const after = open(dir);
    expect(after.damagedCopyPath).not.toBe(null);
    expect(after.readPendingPlays(500).map((play) => play.id)).toEqual(ids);
    // It is still on the screen, and its end must still be reported.
    expect(after.readUnfinishedPlays().open).toMatchObject([
      { showing: { contentId: 'asset_a' }, startedAtMs: NOON },
    ]);
    expect(after.readCommands()).toMatchObject([{ id: 'cmd_1', stage: 'executing' }]);
    expect(after.readLocalSettings().orientation).toBe('portrait');
    // A device without a clock battery has no other.
    expect(after.readLastGoodTime()).toBe(NOON);
    // It plays on, and the cloud is asked for an intact manifest.
    expect(after.readManifests()).toEqual({ held: { ...manifest, revision: 'salvaged' }, target: null });
    after.saveMedia({ sha256: manifest.assets[0]!.sha256, size: 1, contentType: 'image/png' });
    expect(after.listUnreferencedMedia()).toEqual([]);
  });

  test('do not include an impossible last good time', () => {
    const dir = tempDir();
    const before = open(dir);
    before.saveIdentity(IDENTITY);
    before.saveLastGoodTime(NOON * 10);
    before.close();
    writeFileSync(join(dir, 'player.sqlite.suspect'), '');
    expect(open(dir).readLastGoodTime()).toBe(null);
  });

  test.each(['database.damaged', 'database.salvaged', 'database.set_aside'])(
    'survive a power cut during the salvage (at %s)',
    async (event) => {
      const dir = tempDir();
      const before = open(dir);
      before.saveIdentity(IDENTITY);
      const end = { durationMs: 1_000, outcome: 'completed' as const, reason: null };
      const ids = Array.from({ length: 20 }, (_, n) => `play_${String(n).padStart(26, '0')}`);
      for (const [n, id] of ids.entries()) {
        before.savePlayEnd(createShowing(id, 'a'), NOON, { ...end, endedAtMs: NOON + n }, null);
      }
      before.close();
      writeFileSync(join(dir, 'player.sqlite.suspect'), '');
      const player = fork(
        new URL('../../../test/support/kill-at-log-event.ts', import.meta.url),
        [dir, 'http://one.test', event],
        { execArgv: [] },
      );
      expect(await once(player, 'exit')).toEqual([null, 'SIGKILL']);
      const after = open(dir);
      expect(after.damagedCopyPath).not.toBe(null);
      expect(after.readPendingPlays(500).map((play) => play.id)).toEqual(ids);
      after.close();
      expect(open(dir).damagedCopyPath).toBe(null);
      expect(readdirSync(dir).filter((name) => /anew|suspect/.test(name))).toEqual([]);
    },
  );

  test('are not salvaged after the device was erased', () => {
    const dir = tempDir();
    const before = open(dir);
    before.saveTargetManifest(buildManifest({ revision: 'r1', playlists: { pl: ['a'] } }));
    before.promoteTargetManifest();
    before.savePlayEnd(
      createShowing(`play_${'0'.repeat(26)}`, 'a'),
      NOON,
      { endedAtMs: NOON, durationMs: 0, outcome: 'completed', reason: null },
      null,
    );
    before.close();
    writeFileSync(join(dir, 'player.sqlite.suspect'), '');
    const after = open(dir);
    expect(after.damagedCopyPath).not.toBe(null);
    expect(after.readManifests().held).toBe(null);
    expect(after.readPendingPlays(10)).toEqual([]);
  });

  test('are salvaged up to the damaged page', () => {
    const dir = tempDir();
    const before = open(dir);
    before.saveIdentity(IDENTITY);
    const end = { durationMs: 1_000, outcome: 'completed' as const, reason: null };
    for (let n = 0; n < 300; n++) {
      const id = `play_${String(n).padStart(26, '0')}`;
      before.savePlayEnd(createShowing(id, 'a'), NOON, { ...end, endedAtMs: NOON + n }, null);
    }
    before.close();
    corruptTable(join(dir, 'player.sqlite'), 'plays');
    const after = open(dir);
    expect(after.damagedCopyPath).not.toBe(null);
    expect(after.readPendingPlays(500).length).toBeGreaterThan(0);
    expect(after.readPendingPlays(500).length).toBeLessThan(300);
  });
});

describe('a disk that fails while the database is opened', () => {
  test('a file that cannot be read is set aside, and the device stays paired', ({ skip }) => {
    const healthy = tempDir();
    const before = open(healthy);
    before.saveTargetManifest(large('r1'));
    before.close();
    const disk =
      mountUnreadableDisk('player.sqlite', join(healthy, 'player.sqlite')) ??
      skip('not permitted to make such a disk');
    writeFileSync(join(disk.dir, 'identity.json'), JSON.stringify({ 'http://one.test': IDENTITY }));
    const database = open(disk.dir);
    expect(database.damagedCopyPath).not.toBe(null);
    expect(database.readIdentity()).toEqual(IDENTITY);
    database.saveTargetManifest(buildManifest({ revision: 'r2', playlists: { pl: ['a'] } }));
    expect(database.readManifests().target?.revision).toBe('r2');
  });

  test('a damaged file on a full disk is deleted to make room for its replacement', ({ skip }) => {
    const disk = mountSmallDisk(16) ?? skip('not permitted to mount a disk');
    const before = open(disk.dir);
    before.saveIdentity(IDENTITY);
    before.saveTargetManifest(large('r1'));
    before.close();
    corruptFile(join(disk.dir, 'player.sqlite'));
    disk.fill();
    const database = open(disk.dir);
    expect(database.readIdentity()).toEqual(IDENTITY);
    database.saveTargetManifest(buildManifest({ revision: 'r2', playlists: { pl: ['a'] } }));
    expect(database.readManifests().target?.revision).toBe('r2');
    expect(readdirSync(disk.dir).filter((name) => name.includes('damaged'))).toEqual([]);
  });

  test('a disk without a free block opens the existing file at every start', ({ skip }) => {
    const disk = mountSmallDisk(4) ?? skip('not permitted to mount a disk');
    const before = open(disk.dir);
    before.saveIdentity(IDENTITY);
    before.saveTargetManifest(buildManifest({ revision: 'r1', playlists: { pl: ['a'] } }));
    before.close();
    expect(readdirSync(disk.dir)).not.toContain('player.sqlite-shm');
    disk.fill();
    for (let start = 0; start < 2; start++) {
      const database = open(disk.dir);
      expect(database.damagedCopyPath).toBe(null);
      expect(database.readIdentity()).toEqual(IDENTITY);
      expect(database.readManifests().target?.revision).toBe('r1');
      expect(() => database.saveTargetManifest(large('r2'))).toThrow(
        expect.objectContaining({ code: 'disk.full' }),
      );
      database.close();
    }
    disk.free();
    const after = open(disk.dir);
    after.saveLastGoodTime(7);
    expect(after.readLastGoodTime()).toBe(7);
    expect(existsSync(join(disk.dir, 'player.sqlite-shm'))).toBe(true);
  });
});
