import { fork } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { receive } from '../../core/commands/journal.ts';
import { smallDisk, unreadableDisk } from '../../../test/support/bad-disk.ts';
import { sketchManifest } from '../../../test/support/manifests.ts';
import { draftOf } from '../../../test/support/playback-machine.ts';
import { noiseInto, noiseOver } from '../../../test/support/noise.ts';
import { openStore } from '../../../test/support/open-store.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';

const NOON = Date.UTC(2026, 10, 20, 12);
const IDENTITY = { deviceId: 'dev_1', deviceToken: 'secret' };

const open = (dir: string, onDamage = () => {}) =>
  openStore(dir, { server: 'http://one.test', nowMs: 1_234, onDamage });

/** A manifest that fills more pages than SQLite keeps in memory. */
const large = (revision: string) =>
  sketchManifest({
    revision,
    playlists: { pl: Array.from({ length: 12_000 }, (_, n) => `picture-number-${n}`) },
  });

describe('a file that is damaged while it is in use', () => {
  test('is told once a page of it is needed, and set aside by the next process', () => {
    const dir = tempDir();
    let damaged = 0;
    const store = open(dir, () => (damaged += 1));
    store.saveIdentity(IDENTITY);
    store.saveTarget(large('r1'));
    store.promoteTarget();
    for (const name of ['player.sqlite', 'player.sqlite-wal']) noiseOver(join(dir, name));
    expect(() => store.readManifests()).toThrow(expect.objectContaining({ code: 'store.corrupt' }));
    expect(damaged).toBeGreaterThan(0);
    store.close();
    const next = open(dir);
    expect(next.setAside).toBe(join(dir, 'player.sqlite.damaged-1234'));
    expect(next.readIdentity()).toEqual(IDENTITY);
    next.close();
    expect(open(dir).setAside).toBe(null);
  });

  test('is set aside even if a quick look at it finds nothing', () => {
    const dir = tempDir();
    open(dir).close();
    writeFileSync(join(dir, 'player.sqlite.suspect'), '');
    expect(open(dir).setAside).not.toBe(null);
  });
});

describe('what a damaged file still gives back', () => {
  test('is brought over: untold plays, commands that were done, and what was on the screen', () => {
    const dir = tempDir();
    const file = join(dir, 'player.sqlite');
    const before = open(dir);
    const manifest = sketchManifest({ revision: 'r1', playlists: { pl: ['a', 'b'] } });
    before.saveIdentity(IDENTITY);
    before.saveTarget(manifest);
    before.promoteTarget();
    const ids = Array.from({ length: 300 }, (_, n) => `play_${String(n).padStart(26, '0')}`);
    const end = { durationMs: 1_000, outcome: 'completed' as const, reason: null };
    for (const [n, id] of ids.entries())
      before.playEnded(
        draftOf(id, 'a'),
        NOON + n * 1_000,
        { ...end, endedAtMs: NOON + n * 1_000 + 1_000 },
        null,
      );
    before.playStarted(draftOf(`play_${'x'.repeat(26)}`, 'a'), NOON, null);
    const command = receive(
      [],
      { id: 'cmd_1', command: 'REBOOT', expires_at: '2030-01-01T00:00:00.000Z' },
      NOON,
    )!;
    before.saveCommand({ ...command, stage: 'executing' });
    before.saveLocal({ orientation: 'portrait', pinAttempts: { wrong: 0, lastAtMs: 0 } });
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
    noiseInto(file, 'samples');

    const after = open(dir);
    expect(after.setAside).not.toBe(null);
    expect(after.pendingPlays(500).map((play) => play.id)).toEqual(ids);
    // It is on the screen still, and its end is yet to be told.
    expect(after.unfinishedPlays().open).toMatchObject([
      { draft: { contentId: 'asset_a' }, startedAtMs: NOON },
    ]);
    expect(after.readCommands()).toMatchObject([{ id: 'cmd_1', stage: 'executing' }]);
    expect(after.readLocal().orientation).toBe('portrait');
    // A box without a clock battery has no other.
    expect(after.readLastGoodTime()).toBe(NOON);
    // It plays on, and the cloud is asked for a sound one.
    expect(after.readManifests()).toEqual({ held: { ...manifest, revision: 'salvaged' }, target: null });
    after.putMedia({ sha256: manifest.assets[0]!.sha256, size: 1, contentType: 'image/png' });
    expect(after.unnamedMedia()).toEqual([]);
  });

  test('leaves a last good time where it is that no clock can have shown', () => {
    const dir = tempDir();
    const before = open(dir);
    before.saveIdentity(IDENTITY);
    before.saveLastGoodTime(NOON * 10);
    before.close();
    writeFileSync(join(dir, 'player.sqlite.suspect'), '');
    expect(open(dir).readLastGoodTime()).toBe(null);
  });

  test.each(['store.corrupt', 'store.salvaged', 'store.set_aside'])(
    'is not lost when the power goes in the midst of it (at %s)',
    async (event) => {
      const dir = tempDir();
      const before = open(dir);
      before.saveIdentity(IDENTITY);
      const end = { durationMs: 1_000, outcome: 'completed' as const, reason: null };
      const ids = Array.from({ length: 20 }, (_, n) => `play_${String(n).padStart(26, '0')}`);
      for (const [n, id] of ids.entries())
        before.playEnded(draftOf(id, 'a'), NOON, { ...end, endedAtMs: NOON + n }, null);
      before.close();
      writeFileSync(join(dir, 'player.sqlite.suspect'), '');
      const player = fork(
        new URL('../../../test/support/die-at-event.ts', import.meta.url),
        [dir, 'http://one.test', event],
        { execArgv: [] },
      );
      expect(await once(player, 'exit')).toEqual([null, 'SIGKILL']);
      const after = open(dir);
      expect(after.setAside).not.toBe(null);
      expect(after.pendingPlays(500).map((play) => play.id)).toEqual(ids);
      after.close();
      expect(open(dir).setAside).toBe(null);
      expect(readdirSync(dir).filter((name) => /anew|suspect/.test(name))).toEqual([]);
    },
  );

  test('belongs to nobody when the device was forgotten', () => {
    const dir = tempDir();
    const before = open(dir);
    before.saveTarget(sketchManifest({ revision: 'r1', playlists: { pl: ['a'] } }));
    before.promoteTarget();
    before.playEnded(
      draftOf(`play_${'0'.repeat(26)}`, 'a'),
      NOON,
      { endedAtMs: NOON, durationMs: 0, outcome: 'completed', reason: null },
      null,
    );
    before.close();
    writeFileSync(join(dir, 'player.sqlite.suspect'), '');
    const after = open(dir);
    expect(after.setAside).not.toBe(null);
    expect(after.readManifests().held).toBe(null);
    expect(after.pendingPlays(10)).toEqual([]);
  });

  test('is brought over up to where the damage begins', () => {
    const dir = tempDir();
    const before = open(dir);
    before.saveIdentity(IDENTITY);
    const end = { durationMs: 1_000, outcome: 'completed' as const, reason: null };
    for (let n = 0; n < 300; n++) {
      const id = `play_${String(n).padStart(26, '0')}`;
      before.playEnded(draftOf(id, 'a'), NOON, { ...end, endedAtMs: NOON + n }, null);
    }
    before.close();
    noiseInto(join(dir, 'player.sqlite'), 'plays');
    const after = open(dir);
    expect(after.setAside).not.toBe(null);
    expect(after.pendingPlays(500).length).toBeGreaterThan(0);
    expect(after.pendingPlays(500).length).toBeLessThan(300);
  });
});

describe('a disk in trouble at the opening', () => {
  test('a file that it does not give back is set aside, and the screen need not be paired again', ({
    skip,
  }) => {
    const healthy = tempDir();
    const before = open(healthy);
    before.saveTarget(large('r1'));
    before.close();
    const disk =
      unreadableDisk('player.sqlite', join(healthy, 'player.sqlite')) ?? skip('no right to make such a disk');
    writeFileSync(join(disk.dir, 'identity.json'), JSON.stringify({ 'http://one.test': IDENTITY }));
    const store = open(disk.dir);
    expect(store.setAside).not.toBe(null);
    expect(store.readIdentity()).toEqual(IDENTITY);
    store.saveTarget(sketchManifest({ revision: 'r2', playlists: { pl: ['a'] } }));
    expect(store.readManifests().target?.revision).toBe('r2');
  });

  test('a damaged file on a full disk makes room for the one that takes its place', ({ skip }) => {
    const disk = smallDisk(16) ?? skip('no right to mount a disk');
    const before = open(disk.dir);
    before.saveIdentity(IDENTITY);
    before.saveTarget(large('r1'));
    before.close();
    noiseOver(join(disk.dir, 'player.sqlite'));
    disk.fill();
    const store = open(disk.dir);
    expect(store.readIdentity()).toEqual(IDENTITY);
    store.saveTarget(sketchManifest({ revision: 'r2', playlists: { pl: ['a'] } }));
    expect(store.readManifests().target?.revision).toBe('r2');
    expect(readdirSync(disk.dir).filter((name) => name.includes('damaged'))).toEqual([]);
  });

  test('without one free block it opens what is there, as often as it is started', ({ skip }) => {
    const disk = smallDisk(4) ?? skip('no right to mount a disk');
    const before = open(disk.dir);
    before.saveIdentity(IDENTITY);
    before.saveTarget(sketchManifest({ revision: 'r1', playlists: { pl: ['a'] } }));
    before.close();
    expect(readdirSync(disk.dir)).not.toContain('player.sqlite-shm');
    disk.fill();
    for (let start = 0; start < 2; start++) {
      const store = open(disk.dir);
      expect(store.setAside).toBe(null);
      expect(store.readIdentity()).toEqual(IDENTITY);
      expect(store.readManifests().target?.revision).toBe('r1');
      expect(() => store.saveTarget(large('r2'))).toThrow(expect.objectContaining({ code: 'disk.full' }));
      store.close();
    }
    disk.free();
    const after = open(disk.dir);
    after.saveLastGoodTime(7);
    expect(after.readLastGoodTime()).toBe(7);
    expect(existsSync(join(disk.dir, 'player.sqlite-shm'))).toBe(true);
  });
});
