import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import { describe, expect, test } from 'vitest';
import { sketchManifest } from '../../../test/support/manifests.ts';
import { draftOf } from '../../../test/support/playback-machine.ts';
import { openStore } from '../../../test/support/open-store.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';

const open = (dir: string, server = 'http://one.test', nowMs = 1_234) => openStore(dir, { server, nowMs });
const IDENTITY = { deviceId: 'dev_1', deviceToken: 'secret' };

describe('a damaged database', () => {
  test.each([
    ['noise', () => Buffer.alloc(20_000, 'noise')],
    ['half of itself', (sound: Buffer) => sound.subarray(0, sound.length / 2 + 100)],
    ['a page of noise in its midst', (sound: Buffer) => Buffer.from(sound).fill(0xa5, 4_096, 40_000)],
  ])('%s is set aside, and the screen need not be paired again', (_, damage) => {
    const dir = tempDir();
    const first = open(dir);
    first.saveIdentity(IDENTITY);
    for (let i = 0; i < 50; i++)
      first.saveTarget(sketchManifest({ revision: `r${i}`, playlists: { pl: ['a', 'b'] } }));
    first.close();
    const file = join(dir, 'player.sqlite');
    writeFileSync(file, damage(readFileSync(file)));
    const second = open(dir);
    expect(second.setAside).toBe(`${file}.damaged-1234`);
    expect(existsSync(`${file}.damaged-1234`)).toBe(true);
    expect(second.readIdentity()).toEqual(IDENTITY);
    expect(second.readManifests()).toEqual({ held: null, target: null });
    second.saveLastGoodTime(1);
    expect(second.readLastGoodTime()).toBe(1);
  });

  test('only the newest two damaged ones are kept', () => {
    const dir = tempDir();
    for (const nowMs of [1_000, 2_000, 3_000, 4_000]) {
      writeFileSync(join(dir, 'player.sqlite'), 'noise '.repeat(1_000));
      open(dir, 'http://one.test', nowMs).close();
    }
    const kept = readdirSync(dir).filter((name) => /damaged-\d+$/.test(name));
    expect(kept.toSorted()).toEqual(['player.sqlite.damaged-3000', 'player.sqlite.damaged-4000']);
  });

  test('a sound one is left where it is', () => {
    const dir = tempDir();
    open(dir).close();
    expect(open(dir).setAside).toBe(null);
    expect(readdirSync(dir).some((name) => name.includes('damaged'))).toBe(false);
  });
});

describe('durability', () => {
  test('every opening writes ahead and waits for the disk', () => {
    const dir = tempDir();
    open(dir).close();
    const store = open(dir);
    store.saveLastGoodTime(5);
    const db = new Database(join(dir, 'player.sqlite'), { readonly: true });
    expect(db.pragma('journal_mode', { simple: true })).toBe('wal');
    db.close();
  });

  test('a newer schema is opened as it is', () => {
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
  test('its second copy can be read by its owner only', () => {
    const dir = tempDir();
    open(dir).saveIdentity(IDENTITY);
    expect(statSync(join(dir, 'identity.json')).mode & 0o777).toBe(0o600);
    expect(readdirSync(dir)).not.toContain('identity.json.next');
  });

  test('belongs to one server, and is there again when the player comes back to it', () => {
    const dir = tempDir();
    const first = open(dir);
    first.saveIdentity(IDENTITY);
    first.saveTarget(sketchManifest({ playlists: { pl: ['a'] } }));
    first.close();
    const other = open(dir, 'http://two.test');
    expect(other.readIdentity()).toBe(null);
    expect(other.readManifests()).toEqual({ held: null, target: null });
    other.saveIdentity({ deviceId: 'dev_2', deviceToken: 'other' });
    other.forgetDevice();
    other.close();
    const back = open(dir);
    expect(back.readIdentity()).toEqual(IDENTITY);
    expect(back.readManifests().target?.playlists).toHaveLength(1);
  });

  test('is gone as a whole with the last device: a full disk has no room for an empty list', () => {
    const dir = tempDir();
    const store = open(dir);
    store.saveIdentity(IDENTITY);
    store.forgetDevice();
    expect(readdirSync(dir).filter((name) => name.startsWith('identity'))).toEqual([]);
  });

  test('an unreadable second copy does no harm', () => {
    const dir = tempDir();
    writeFileSync(join(dir, 'identity.json'), '{"http://one.test": {"dev');
    const store = open(dir);
    expect(store.readIdentity()).toBe(null);
    store.saveIdentity(IDENTITY);
    expect(store.readIdentity()).toEqual(IDENTITY);
  });
});

describe('the secret of the screen', () => {
  const SECRET = 's'.repeat(43);

  test('can be read by its owner only, is told to no other server, and outlives the database', () => {
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

  test('an unreadable file is none', () => {
    const dir = tempDir();
    writeFileSync(join(dir, 'screen-secret.json'), '{"http://one.test": 7}');
    const store = open(dir);
    expect(store.readScreenSecret()).toBe(null);
    store.saveScreenSecret(SECRET);
    expect(store.readScreenSecret()).toBe(SECRET);
  });
});

test('a row that cannot be understood is left out and told', () => {
  const dir = tempDir();
  const first = open(dir);
  first.saveTarget(sketchManifest({ playlists: { pl: ['a'] } }));
  first.close();
  const db = new Database(join(dir, 'player.sqlite'));
  db.exec(`UPDATE manifests SET body = '{"revision": 7'`);
  db.close();
  expect(open(dir).readManifests()).toEqual({ held: null, target: null });
});

test('a play of a time that no calendar has keeps no other from being told', () => {
  const store = open(tempDir());
  const end = { durationMs: 1_000, outcome: 'completed' as const, reason: null };
  const ids = ['a', 'b'].map((letter) => `play_${letter.repeat(26)}`);
  for (const [index, endedAtMs] of [9e15, 1_000].entries())
    store.playEnded(draftOf(ids[index]!, 'a'), endedAtMs - 1_000, { ...end, endedAtMs }, null);
  expect(store.pendingPlays(10).map((play) => play.id)).toEqual([ids[1]]);
});

test('a folder that cannot be written is told as such', () => {
  const dir = tempDir();
  writeFileSync(join(dir, 'file'), '');
  expect(() => openStore(dir, { file: join(dir, 'file', 'player.sqlite') })).toThrow(
    /data folder cannot be written|directory does not exist/,
  );
});
