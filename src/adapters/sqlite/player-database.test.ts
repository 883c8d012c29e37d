import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { buildManifest } from '../../../test/support/manifests.ts';
import { createShowing } from '../../../test/support/playback-driver.ts';
import { openPlayerDatabase } from '../../../test/support/open-player-database.ts';
import { createRecordingLog } from '../../../test/support/recording-log.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';

const open = (dir: string, server = 'http://one.test', nowMs = 1_234) =>
  openPlayerDatabase(dir, { server, nowMs });
const IDENTITY = { deviceId: 'dev_1', deviceToken: 'secret' };

describe('a damaged database', () => {
  test.each([
    ['noise', () => Buffer.alloc(20_000, 'noise')],
    ['half of the file', (intact: Buffer) => intact.subarray(0, intact.length / 2 + 100)],
    ['overwritten pages in the middle', (intact: Buffer) => Buffer.from(intact).fill(0xa5, 4_096, 40_000)],
  ])('%s is set aside, and the device stays paired', (_, damage) => {
    const dir = tempDir();
    const first = open(dir);
    first.saveIdentity(IDENTITY);
    for (let i = 0; i < 50; i++) {
      first.saveTargetManifest(buildManifest({ revision: `r${i}`, playlists: { pl: ['a', 'b'] } }));
    }
    first.close();
    const file = join(dir, 'player.sqlite');
    writeFileSync(file, damage(readFileSync(file)));
    const second = open(dir);
    expect(second.damagedCopyPath).toBe(`${file}.damaged-1234`);
    expect(existsSync(`${file}.damaged-1234`)).toBe(true);
    expect(second.readIdentity()).toEqual(IDENTITY);
    expect(second.readManifests()).toEqual({ held: null, target: null });
    second.saveLastGoodTime(1);
    expect(second.readLastGoodTime()).toBe(1);
  });

  test('keeps only the newest two damaged copies', () => {
    const dir = tempDir();
    for (const nowMs of [1_000, 2_000, 3_000, 4_000]) {
      writeFileSync(join(dir, 'player.sqlite'), 'noise '.repeat(1_000));
      open(dir, 'http://one.test', nowMs).close();
    }
    const copies = readdirSync(dir).filter((name) => /damaged-\d+$/.test(name));
    expect(copies.toSorted()).toEqual(['player.sqlite.damaged-3000', 'player.sqlite.damaged-4000']);
  });

  test('leaves an intact file in place', () => {
    const dir = tempDir();
    open(dir).close();
    expect(open(dir).damagedCopyPath).toBe(null);
    expect(readdirSync(dir).some((name) => name.includes('damaged'))).toBe(false);
  });
});

describe('durability', () => {
  test('every opening sets WAL mode and full synchronization', () => {
    const dir = tempDir();
    open(dir).close();
    const database = open(dir);
    database.saveLastGoodTime(5);
    const db = new Database(join(dir, 'player.sqlite'), { readonly: true });
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    db.close();
  });

  test('opens a newer schema without changes', () => {
    const dir = tempDir();
    const first = open(dir);
    first.saveIdentity(IDENTITY);
    first.close();
    const db = new Database(join(dir, 'player.sqlite'));
    db.exec('CREATE TABLE of_the_future (id INTEGER); ALTER TABLE facts ADD COLUMN unit TEXT');
    db.pragma('user_version = 99');
    db.close();
    const second = open(dir);
    expect(second.readIdentity()).toEqual(IDENTITY);
  });
});

describe('the identity', () => {
  test('makes the second copy readable by its owner only', () => {
    const dir = tempDir();
    open(dir).saveIdentity(IDENTITY);
    expect(statSync(join(dir, 'identity.json')).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).not.toContain('identity.json.next');
  });

  test('keeps the identity of each server, for a player that returns to it', () => {
    const dir = tempDir();
    const first = open(dir);
    first.saveIdentity(IDENTITY);
    first.saveTargetManifest(buildManifest({ playlists: { pl: ['a'] } }));
    first.close();
    const other = open(dir, 'http://two.test');
    expect(other.readIdentity()).toBe(null);
    expect(other.readManifests()).toEqual({ held: null, target: null });
    other.saveIdentity({ deviceId: 'dev_2', deviceToken: 'other' });
    other.eraseDevice();
    other.close();
    const back = open(dir);
    expect(back.readIdentity()).toEqual(IDENTITY);
    expect(back.readManifests().target?.playlists).toHaveLength(1);
  });

  test('deletes the second copy with the last device: a full disk has no room for an empty list', () => {
    const dir = tempDir();
    const database = open(dir);
    database.saveIdentity(IDENTITY);
    database.eraseDevice();
    expect(readdirSync(dir).filter((name) => name.startsWith('identity'))).toEqual([]);
  });

  test('ignores an unreadable second copy', () => {
    const dir = tempDir();
    writeFileSync(join(dir, 'identity.json'), '{"http://one.test": {"dev');
    const database = open(dir);
    expect(database.readIdentity()).toBe(null);
    database.saveIdentity(IDENTITY);
    expect(database.readIdentity()).toEqual(IDENTITY);
  });

  test('of a damaged file nothing is in the log', () => {
    const dir = tempDir();
    writeFileSync(join(dir, 'identity.json'), '{"http://one.test": {"deviceToken": \0topsecret"}}');
    const log = createRecordingLog();
    expect(openPlayerDatabase(dir, { server: 'http://one.test', log }).readIdentity()).toBe(null);
    expect(log.events).toMatchObject([{ event: 'identity.read_failed' }]);
    expect(JSON.stringify(log.events)).not.toContain('topsecret');
  });
});

describe('the screen secret', () => {
  const SECRET = 's'.repeat(43);

  test('is readable by its owner only, separate for each server, and survives a damaged database', () => {
    const dir = tempDir();
    const first = open(dir);
    first.saveScreenSecret(SECRET);
    first.close();
    expect(statSync(join(dir, 'screen-secret.json')).mode & 0o777).toBe(0o600);
    const other = open(dir, 'http://two.test');
    expect(other.readScreenSecret()).toBe(null);
    other.saveScreenSecret('x'.repeat(43));
    other.close();
    writeFileSync(join(dir, 'player.sqlite'), 'no database');
    expect(open(dir).readScreenSecret()).toBe(SECRET);
  });

  test('is missing when its file is unreadable', () => {
    const dir = tempDir();
    writeFileSync(join(dir, 'screen-secret.json'), '{"http://one.test": 7}');
    const database = open(dir);
    expect(database.readScreenSecret()).toBe(null);
    database.saveScreenSecret(SECRET);
    expect(database.readScreenSecret()).toBe(SECRET);
  });
});

test('skips a row that cannot be parsed and logs it', () => {
  const dir = tempDir();
  const first = open(dir);
  first.saveTargetManifest(buildManifest({ playlists: { pl: ['a'] } }));
  first.close();
  const db = new Database(join(dir, 'player.sqlite'));
  db.exec(`UPDATE manifests SET body = '{"revision": 7'`);
  db.close();
  expect(open(dir).readManifests()).toEqual({ held: null, target: null });
});

test.each(['maybe', '1', ''])('updates are not held by a damaged %j, which is logged', (value) => {
  const dir = tempDir();
  const log = createRecordingLog();
  const first = open(dir);
  first.saveUpdatesHeld(true);
  first.close();
  const db = new Database(join(dir, 'player.sqlite'));
  db.prepare(`UPDATE facts SET value = ? WHERE name LIKE 'updates_held%'`).run(value);
  db.close();
  const second = openPlayerDatabase(dir, { server: 'http://one.test', log });
  expect(second.readUpdatesHeld()).toBe(false);
  expect(log.events).toMatchObject([{ level: 'error', event: 'database.row_rejected' }]);
  second.saveUpdatesHeld(true);
  expect(second.readUpdatesHeld()).toBe(true);
});

test('updates that one server holds are not held by another', () => {
  const dir = tempDir();
  const first = open(dir);
  first.saveUpdatesHeld(true);
  first.close();
  const other = open(dir, 'http://two.test');
  expect(other.readUpdatesHeld()).toBe(false);
  other.eraseDevice();
  other.close();
  expect(open(dir).readUpdatesHeld()).toBe(true);
});

test('a play with an impossible time does not prevent the report of others', () => {
  const database = open(tempDir());
  const end = { durationMs: 1_000, outcome: 'completed' as const, reason: null };
  const ids = ['a', 'b'].map((letter) => `play_${letter.repeat(26)}`);
  for (const [index, endedAtMs] of [9e15, 1_000].entries()) {
    database.savePlayEnd(createShowing(ids[index]!, 'a'), endedAtMs - 1_000, { ...end, endedAtMs }, null);
  }
  expect(database.readPendingPlays(10).map((play) => play.id)).toEqual([ids[1]]);
});

test('a folder that is not writable is a fault', () => {
  const dir = tempDir();
  writeFileSync(join(dir, 'file'), '');
  expect(() => openPlayerDatabase(dir, { file: join(dir, 'file', 'player.sqlite') })).toThrow(
    /data folder cannot be written|directory does not exist/,
  );
});
