import type { Database } from 'better-sqlite3';

/**
 * One entry per schema version, forward only. A version only adds tables and nullable columns, so that the previous
 * player can still open the file after a rollback.
 */
const MIGRATIONS: readonly string[] = [
  `
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
  `,
  // The boot in which the times of a play were estimated; null when the clock was right.
  'ALTER TABLE plays ADD COLUMN guess TEXT',
];

/** Migrates the file to the newest version that this player knows; a newer file is left as it is. */
export function migrate(db: Database): void {
  const version = Number(db.pragma('user_version', { simple: true }));
  for (let next = version; next < MIGRATIONS.length; next++) {
    db.transaction(() => {
      db.exec(MIGRATIONS[next]!);
      db.pragma(`user_version = ${next + 1}`);
    }).immediate();
  }
}
