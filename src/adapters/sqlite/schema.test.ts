import { join } from 'node:path';
import Database from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { createShowing } from '../../../test/support/playback-driver.ts';
import { buildManifest } from '../../../test/support/manifests.ts';
import { openPlayerDatabase } from '../../../test/support/open-player-database.ts';
import { tempDir } from '../../../test/support/temp-dir.ts';

const SERVER = 'http://one.test';
const NOON = Date.UTC(2026, 10, 20, 12);
const LATEST = 2;
const PLAY_1 = `play_${'1'.padStart(26, '0')}`;
const PLAY_2 = `play_${'2'.padStart(26, '0')}`;

/** The file as the player of schema 1 created it. */
const SCHEMA_1 = `
  CREATE TABLE identity (server TEXT PRIMARY KEY, device_id TEXT NOT NULL, device_token TEXT NOT NULL) STRICT;
  CREATE TABLE pairing (server TEXT PRIMARY KEY, session TEXT NOT NULL) STRICT;
  CREATE TABLE manifests (
    server TEXT NOT NULL, slot TEXT NOT NULL CHECK (slot IN ('held', 'target')),
    revision TEXT NOT NULL, body TEXT NOT NULL, PRIMARY KEY (server, slot)
  ) STRICT;
  CREATE TABLE named_media (
    server TEXT NOT NULL, slot TEXT NOT NULL, sha256 TEXT NOT NULL, PRIMARY KEY (server, slot, sha256)
  ) STRICT, WITHOUT ROWID;
  CREATE TABLE media (
    sha256 TEXT PRIMARY KEY, size INTEGER NOT NULL, content_type TEXT NOT NULL,
    shown_at INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE positions (
    server TEXT NOT NULL, playlist_id TEXT NOT NULL, position TEXT NOT NULL, PRIMARY KEY (server, playlist_id)
  ) STRICT;
  CREATE TABLE plays (
    id TEXT PRIMARY KEY, server TEXT NOT NULL, state TEXT NOT NULL CHECK (state IN ('prepared', 'superseded', 'open', 'closed')),
    draft TEXT NOT NULL, started_at INTEGER, ended_at INTEGER, duration_ms INTEGER, outcome TEXT, reason TEXT
  ) STRICT;
  CREATE INDEX plays_by_state ON plays (server, state, ended_at);
  CREATE TABLE samples (
    server TEXT NOT NULL, measured_at TEXT NOT NULL, sample TEXT NOT NULL, PRIMARY KEY (server, measured_at)
  ) STRICT;
  CREATE TABLE commands (
    server TEXT NOT NULL, id TEXT NOT NULL, received_at INTEGER NOT NULL, entry TEXT NOT NULL,
    PRIMARY KEY (server, id)
  ) STRICT;
  CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT;
  `;

/** All statements of the player of schema 1. */
const STATEMENTS_1 = [
  'SELECT device_id, device_token FROM identity WHERE server = ?',
  'INSERT OR REPLACE INTO identity (server, device_id, device_token) VALUES (?, ?, ?)',
  'SELECT session FROM pairing WHERE server = ?',
  'INSERT OR REPLACE INTO pairing (server, session) VALUES (?, ?)',
  'DELETE FROM pairing WHERE server = ?',
  'SELECT slot, body FROM manifests WHERE server = ?',
  `INSERT OR REPLACE INTO manifests (server, slot, revision, body) VALUES (?, 'target', ?, ?)`,
  'DELETE FROM named_media WHERE server = ? AND slot = ?',
  'INSERT OR IGNORE INTO named_media (server, slot, sha256) VALUES (?, ?, ?)',
  `DELETE FROM manifests WHERE server = ? AND slot = 'held' AND EXISTS (SELECT 1 FROM manifests WHERE server = ? AND slot = 'target')`,
  `DELETE FROM named_media WHERE server = ? AND slot = 'held' AND EXISTS (SELECT 1 FROM manifests WHERE server = ? AND slot = 'target')`,
  `UPDATE manifests SET slot = 'held' WHERE server = ? AND slot = 'target'`,
  `UPDATE named_media SET slot = 'held' WHERE server = ? AND slot = 'target'`,
  'SELECT playlist_id, position FROM positions WHERE server = ?',
  'INSERT OR REPLACE INTO positions (server, playlist_id, position) VALUES (?, ?, ?)',
  'DELETE FROM positions WHERE server = ? AND playlist_id = ?',
  `UPDATE plays SET state = 'superseded' WHERE server = ? AND state = 'prepared'`,
  `DELETE FROM plays WHERE server = ? AND state = 'superseded'`,
  `INSERT OR IGNORE INTO plays (id, server, state, draft) VALUES (?, ?, 'prepared', ?)`,
  `INSERT INTO plays (id, server, state, draft, started_at) VALUES (?, ?, 'open', ?, ?) ON CONFLICT (id) DO UPDATE SET state = 'open', started_at = excluded.started_at WHERE state IN ('prepared', 'superseded')`,
  `INSERT INTO plays (id, server, state, draft, started_at, ended_at, duration_ms, outcome, reason) VALUES (?, ?, 'closed', ?, ?, ?, ?, ?, ?) ON CONFLICT (id) DO UPDATE SET state = 'closed', started_at = excluded.started_at, ended_at = excluded.ended_at, duration_ms = excluded.duration_ms, outcome = excluded.outcome, reason = excluded.reason WHERE state <> 'closed'`,
  `SELECT state, draft, started_at FROM plays WHERE server = ? AND state <> 'closed' ORDER BY started_at, id`,
  `SELECT draft, started_at, ended_at, duration_ms, outcome, reason FROM plays WHERE server = ? AND state = 'closed' ORDER BY ended_at, id LIMIT ?`,
  `DELETE FROM plays WHERE id = ? AND state = 'closed'`,
  `DELETE FROM plays WHERE server = ? AND state = 'closed' AND ended_at < ?`,
  'INSERT OR REPLACE INTO samples (server, measured_at, sample) VALUES (?, ?, ?)',
  'SELECT sample FROM samples WHERE server = ? ORDER BY measured_at LIMIT ?',
  'DELETE FROM samples WHERE server = ? AND measured_at = ?',
  'SELECT entry FROM commands WHERE server = ? ORDER BY received_at, id',
  'INSERT OR REPLACE INTO commands (server, id, received_at, entry) VALUES (?, ?, ?, ?)',
  `DELETE FROM commands WHERE server = ? AND received_at < ? AND json_extract(entry, '$.stage') = json_extract(entry, '$.told')`,
  'SELECT value FROM facts WHERE name = ?',
  'SELECT value FROM facts WHERE name = ?',
  'INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)',
  'SELECT sha256, size, content_type FROM media',
  'INSERT INTO media (sha256, size, content_type) VALUES (?, ?, ?) ON CONFLICT (sha256) DO UPDATE SET size = excluded.size, content_type = excluded.content_type',
  'DELETE FROM media WHERE sha256 = ?',
  'UPDATE media SET shown_at = ? WHERE sha256 = ?',
  'SELECT sha256, size, content_type FROM media WHERE sha256 NOT IN (SELECT sha256 FROM named_media) ORDER BY shown_at, sha256',
];

const newPlayer = (dir: string) => openPlayerDatabase(dir, { server: SERVER });

const oldPlayer = (dir: string) => {
  const db = new Database(join(dir, 'player.sqlite'));
  onTestFinished(() => void db.close());
  const statements = STATEMENTS_1.map((text) => db.prepare<(string | number | null)[]>(text));
  /** The one statement with this beginning. */
  return (beginning: string) => {
    const [found, another] = statements.filter((one) => one.source.startsWith(beginning));
    if (!found || another) {
      throw new Error(`not one statement: ${beginning}`);
    }
    return found;
  };
};

function fileOfSchema1(dir: string): void {
  const db = new Database(join(dir, 'player.sqlite'));
  db.pragma('journal_mode = WAL');
  db.exec(SCHEMA_1);
  db.pragma('user_version = 1');
  db.close();
}

const old = (id: string) => JSON.stringify(createShowing(id, 'a'));
const PENDING = 'SELECT draft, started_at, ended_at';

test('opens a file of the previous version with all its data', () => {
  const dir = tempDir();
  fileOfSchema1(dir);
  const sql = oldPlayer(dir);
  const manifest = buildManifest({ revision: 'r1', playlists: { pl: ['a'] } });
  sql('INSERT OR REPLACE INTO identity').run(SERVER, 'dev_1', 'secret');
  sql('INSERT OR REPLACE INTO manifests').run(SERVER, 'r1', JSON.stringify(manifest));
  sql('UPDATE manifests SET slot').run(SERVER);
  sql('INSERT INTO plays (id, server, state, draft, started_at, ended_at').run(
    PLAY_1,
    SERVER,
    old(PLAY_1),
    NOON,
    NOON + 10_000,
    10_000,
    'completed',
    null,
  );
  sql('INSERT INTO plays (id, server, state, draft, started_at) VALUES').run(
    PLAY_2,
    SERVER,
    old(PLAY_2),
    NOON + 10_000,
  );
  const database = newPlayer(dir);
  expect(database.damagedCopyPath).toBe(null);
  expect(database.readIdentity()).toEqual({ deviceId: 'dev_1', deviceToken: 'secret' });
  expect(database.readManifests().held).toEqual(manifest);
  expect(database.readPendingPlays(10).map((play) => play.id)).toEqual([PLAY_1]);
  expect(database.readUnfinishedPlays().open).toMatchObject([
    { showing: { id: PLAY_2 }, unconfirmedBootId: null },
  ]);
});

test('the previous version opens a file of this one, and this one reads what it writes', () => {
  const dir = tempDir();
  const before = newPlayer(dir);
  before.saveIdentity({ deviceId: 'dev_1', deviceToken: 'secret' });
  before.savePlayStart(createShowing(PLAY_1, 'a'), NOON, 'boot-1');
  before.addDroppedPlays(3, NOON);
  before.close();

  const sql = oldPlayer(dir);
  expect(sql('SELECT device_id').get(SERVER)).toEqual({ device_id: 'dev_1', device_token: 'secret' });
  sql('INSERT INTO plays (id, server, state, draft, started_at, ended_at').run(
    PLAY_1,
    SERVER,
    old(PLAY_1),
    NOON,
    NOON + 10_000,
    10_000,
    'completed',
    null,
  );
  sql('INSERT OR IGNORE INTO plays').run(PLAY_2, SERVER, old(PLAY_2));
  expect(sql(PENDING).all(SERVER, 10)).toHaveLength(1);

  const after = newPlayer(dir);
  expect(after.readPendingPlays(10).map((play) => play.id)).toEqual([PLAY_1]);
  expect(after.readUnfinishedPlays().prepared?.id).toBe(PLAY_2);
  expect(after.readDroppedPlays()).toEqual({ count: 3, lastAtMs: NOON });
  const db = new Database(join(dir, 'player.sqlite'), { readonly: true });
  expect(db.pragma('user_version', { simple: true })).toBe(LATEST);
  db.close();
});
