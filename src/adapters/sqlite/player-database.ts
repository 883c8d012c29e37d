import { dirname, join } from 'node:path';
import { z } from 'zod';
import { NO_ATTEMPTS } from '../../core/menu/pin-attempts.ts';
import type { LocalSettings, Log, PlayerDatabase } from '../../core/ports.ts';
import { createFileByServer } from './file-by-server.ts';
import { openDatabase } from './open-database.ts';
import { droppedPlaysKey, createPlayQueries } from './plays.ts';
import * as rows from './rows.ts';
import { createStatements } from './statements.ts';

export interface PlayerDatabaseDeps {
  /** Absolute path of `player.sqlite`. */
  file: string;
  /** Absolute path of `identity.json`; `screen-secret.json` is in the same folder. */
  identityFile: string;
  /** Address of the cloud of this run. */
  server: string;
  /** For the name of a damaged file that is set aside. */
  nowMs: number;
  /**
   * Called when the file turns out to be damaged while it is in use. No call is reliable any more: this process
   * should end, and the next one sets the file aside.
   */
  onCorruption?: () => void;
  log: Log;
}

export interface SqlitePlayerDatabase extends PlayerDatabase {
  /** Where a damaged file was moved by this opening; null when it was intact. */
  readonly damagedCopyPath: string | null;
}

const DEFAULT_LOCAL_SETTINGS: LocalSettings = { orientation: null, pinAttempts: NO_ATTEMPTS };

const TABLES_PER_SERVER = [
  'identity',
  'pairing',
  'manifests',
  'named_media',
  'positions',
  'plays',
  'samples',
  'commands',
] as const;

/** Media that must not be deleted: those of all manifests, and of showings that are prepared or on the screen. */
const REFERENCED_MEDIA = `SELECT sha256 FROM named_media UNION ALL
  SELECT json_extract(draft, '$.sha256') FROM plays WHERE server = ? AND state IN ('prepared', 'superseded', 'open')`;

/** Data that survives a power cut: every write is on the disk when its call returns. */
export function openPlayerDatabase(deps: PlayerDatabaseDeps): SqlitePlayerDatabase {
  const { server, log } = deps;
  const { db, damagedCopyPath } = openDatabase(deps);
  /** A second copy of the identity: when the database is damaged, the device need not be paired again. */
  const identityFile = createFileByServer({
    file: deps.identityFile,
    value: z.object({ deviceId: z.string(), deviceToken: z.string() }),
    readFailedEvent: 'identity.read_failed',
    log,
  });
  /** Each server recognizes this screen by a secret before it is paired, and receives none of another's. */
  const secretFile = createFileByServer({
    file: join(dirname(deps.identityFile), 'screen-secret.json'),
    value: z.string().min(32).max(200),
    readFailedEvent: 'screen_secret.read_failed',
    log,
  });
  const sql = createStatements(db, deps);
  const deleteStatements = TABLES_PER_SERVER.map((table) => sql.run(`DELETE FROM ${table} WHERE server = ?`));

  const readIdentity = sql.one(
    rows.identityRow,
    'SELECT device_id, device_token FROM identity WHERE server = ?',
  );
  const writeIdentity = sql.run(
    'INSERT OR REPLACE INTO identity (server, device_id, device_token) VALUES (?, ?, ?)',
  );
  const readPairing = sql.one(rows.pairingRow, 'SELECT session FROM pairing WHERE server = ?');
  const writePairing = sql.run('INSERT OR REPLACE INTO pairing (server, session) VALUES (?, ?)');
  const erasePairing = sql.run('DELETE FROM pairing WHERE server = ?');
  const readManifests = sql.all(rows.manifestRow, 'SELECT slot, body FROM manifests WHERE server = ?');
  const writeTarget = sql.run(
    `INSERT OR REPLACE INTO manifests (server, slot, revision, body) VALUES (?, 'target', ?, ?)`,
  );
  const deleteReferences = sql.run('DELETE FROM named_media WHERE server = ? AND slot = ?');
  const insertReference = sql.run(
    'INSERT OR IGNORE INTO named_media (server, slot, sha256) VALUES (?, ?, ?)',
  );
  const deleteHeld = sql.run(
    `DELETE FROM manifests WHERE server = ? AND slot = 'held'
     AND EXISTS (SELECT 1 FROM manifests WHERE server = ? AND slot = 'target')`,
  );
  const deleteHeldReferences = sql.run(
    `DELETE FROM named_media WHERE server = ? AND slot = 'held'
     AND EXISTS (SELECT 1 FROM manifests WHERE server = ? AND slot = 'target')`,
  );
  const markTargetHeld = sql.run(`UPDATE manifests SET slot = 'held' WHERE server = ? AND slot = 'target'`);
  const markTargetReferencesHeld = sql.run(
    `UPDATE named_media SET slot = 'held' WHERE server = ? AND slot = 'target'`,
  );
  const writeSample = sql.run(
    'INSERT OR REPLACE INTO samples (server, measured_at, sample) VALUES (?, ?, ?)',
  );
  const readSamples = sql.all(
    rows.sampleRow,
    'SELECT sample FROM samples WHERE server = ? ORDER BY measured_at LIMIT ?',
  );
  const deleteSample = sql.run('DELETE FROM samples WHERE server = ? AND measured_at = ?');
  const readCommands = sql.all(
    rows.commandRow,
    'SELECT entry FROM commands WHERE server = ? ORDER BY received_at, id',
  );
  const writeCommand = sql.run(
    'INSERT OR REPLACE INTO commands (server, id, received_at, entry) VALUES (?, ?, ?, ?)',
  );
  const deleteCommands = sql.run(
    `DELETE FROM commands WHERE server = ? AND received_at < ?
     AND json_extract(entry, '$.stage') = json_extract(entry, '$.told')`,
  );
  const readKeyValue = sql.one(rows.keyValueRow, 'SELECT value FROM facts WHERE name = ?');
  const readLocal = sql.one(rows.localSettingsRow, 'SELECT value FROM facts WHERE name = ?');
  const readUpdatesHeld = sql.one(rows.updatesHeldRow, 'SELECT value FROM facts WHERE name = ?');
  const deleteKeyValue = sql.run('DELETE FROM facts WHERE name = ?');
  const writeKeyValue = sql.run('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)');
  const listMedia = sql.all(rows.mediaRow, 'SELECT sha256, size, content_type FROM media');
  const writeMedia = sql.run(
    `INSERT INTO media (sha256, size, content_type) VALUES (?, ?, ?)
     ON CONFLICT (sha256) DO UPDATE SET size = excluded.size, content_type = excluded.content_type`,
  );
  const deleteMedia = sql.run('DELETE FROM media WHERE sha256 = ?');
  const countReferences = sql.one(
    rows.countRow,
    `SELECT count(*) AS count FROM (${REFERENCED_MEDIA}) WHERE sha256 = ?`,
  );
  const readUnreferencedMedia = sql.all(
    rows.mediaRow,
    `SELECT sha256, size, content_type FROM media WHERE sha256 NOT IN (${REFERENCED_MEDIA}) ORDER BY shown_at, sha256`,
  );

  const updatesHeldKey = `updates_held ${server}`;

  const deleteDeviceRows = () =>
    sql.transaction(() => {
      for (const erase of deleteStatements) {
        erase(server);
      }
      deleteKeyValue(droppedPlaysKey(server));
      deleteKeyValue(updatesHeldKey);
    });

  // Without the second copy of the identity, the salvaged rows have no known owner.
  if (damagedCopyPath && !identityFile.read(server)) {
    deleteDeviceRows();
  }

  return {
    damagedCopyPath,
    transaction: sql.transaction,
    // The second copy is used when the database was rebuilt.
    readIdentity: () => readIdentity(server) ?? identityFile.read(server),
    saveIdentity(identity) {
      identityFile.write(server, identity);
      writeIdentity(server, identity.deviceId, identity.deviceToken);
    },
    eraseDevice() {
      deleteDeviceRows();
      identityFile.erase(server);
    },

    readScreenSecret: () => secretFile.read(server),
    saveScreenSecret: (secret) => secretFile.write(server, secret),

    readPairing: () => readPairing(server)?.session ?? null,
    savePairing(session) {
      if (session) {
        writePairing(server, JSON.stringify(session));
      } else {
        erasePairing(server);
      }
    },

    readManifests() {
      const found = readManifests(server);
      const bodyOf = (slot: string) => found.find((row) => row.slot === slot)?.body ?? null;
      return { held: bodyOf('held'), target: bodyOf('target') };
    },
    saveTargetManifest(manifest) {
      sql.transaction(() => {
        writeTarget(server, manifest.revision, JSON.stringify(manifest));
        deleteReferences(server, 'target');
        for (const asset of manifest.assets) {
          insertReference(server, 'target', asset.sha256);
        }
      });
    },
    promoteTargetManifest() {
      sql.transaction(() => {
        deleteHeldReferences(server, server);
        deleteHeld(server, server);
        markTargetHeld(server);
        markTargetReferencesHeld(server);
      });
    },

    ...createPlayQueries(sql, server),

    saveSample: (sample) => void writeSample(server, sample.measured_at, JSON.stringify(sample)),
    readSamples: (limit) => readSamples(server, limit).map((row) => row.sample),
    deleteSamples(measuredAt) {
      sql.transaction(() => {
        for (const at of measuredAt) {
          deleteSample(server, at);
        }
      });
    },

    readCommands: () => readCommands(server).map((row) => row.entry),
    saveCommand: (entry) =>
      void writeCommand(server, entry.id, Math.round(entry.receivedAtMs), JSON.stringify(entry)),
    deleteReportedCommandsBefore: (ms) => void deleteCommands(server, ms),

    readLastGoodTime() {
      const value = Number(readKeyValue('last_good_time')?.value);
      return Number.isFinite(value) ? value : null;
    },
    saveLastGoodTime: (ms) => void writeKeyValue('last_good_time', String(Math.round(ms))),
    countStart() {
      const before = Number(readKeyValue('starts')?.value);
      const count = Number.isSafeInteger(before) && before > 0 ? before + 1 : 1;
      writeKeyValue('starts', String(count));
      return count;
    },

    readUpdatesHeld: () => readUpdatesHeld(updatesHeldKey)?.value ?? false,
    saveUpdatesHeld: (held) => void writeKeyValue(updatesHeldKey, JSON.stringify(held)),

    readLocalSettings: () => readLocal('local_settings')?.value ?? DEFAULT_LOCAL_SETTINGS,
    saveLocalSettings: (settings) => void writeKeyValue('local_settings', JSON.stringify(settings)),

    listMedia: () => listMedia(),
    saveMedia: (row) => void writeMedia(row.sha256, row.size, row.contentType),
    removeMedia: (sha256) => void deleteMedia(sha256),
    isReferenced: (sha256) => (countReferences(server, sha256)?.count ?? 0) > 0,
    listUnreferencedMedia: () => readUnreferencedMedia(server),

    close: () => void db.close(),
  };
}
