import { dirname, join } from 'node:path';
import { NO_ATTEMPTS } from '../../core/menu/pin-attempts.ts';
import type { LocalSettings, Log, Store } from '../../core/ports.ts';
import { createIdentityFile } from './identity-file.ts';
import { openDatabase } from './open-database.ts';
import { droppedPlaysFact, playsOf } from './plays.ts';
import * as rows from './rows.ts';
import { createScreenSecretFile } from './screen-secret.ts';
import { statementsOf } from './statements.ts';

export interface SqliteStoreDeps {
  /** Absolute path of `player.sqlite`. */
  file: string;
  /** Absolute path of `identity.json`; `screen-secret.json` lies beside it. */
  identityFile: string;
  /** Address of the cloud that this run of the player belongs to. */
  server: string;
  /** For the name of a damaged file that is set aside. */
  nowMs: number;
  /**
   * The file turns out to be damaged while it is in use. No call can be relied on any more: this process had better
   * end, and the next one sets the file aside.
   */
  onDamage?: () => void;
  log: Log;
}

export interface SqliteStore extends Store {
  /** Where a damaged file was put at this opening; null when it was sound. */
  readonly setAside: string | null;
}

const NOTHING_LOCAL: LocalSettings = { orientation: null, pinAttempts: NO_ATTEMPTS };

const PER_SERVER = [
  'identity',
  'pairing',
  'manifests',
  'named_media',
  'positions',
  'plays',
  'samples',
  'commands',
] as const;

/** Media that are not to be deleted: of all manifests, and of what is prepared or on the screen. */
const NAMED = `SELECT sha256 FROM named_media UNION ALL
  SELECT json_extract(draft, '$.sha256') FROM plays WHERE server = ? AND state IN ('prepared', 'superseded', 'open')`;

/** What survives a power cut: every call is on the disk when it returns. */
export function createSqliteStore(deps: SqliteStoreDeps): SqliteStore {
  const { server, log } = deps;
  const { db, setAside } = openDatabase(deps);
  const identityFile = createIdentityFile({ file: deps.identityFile, log });
  const secretFile = createScreenSecretFile({
    file: join(dirname(deps.identityFile), 'screen-secret.json'),
    log,
  });
  const sql = statementsOf(db, deps);
  const forget = PER_SERVER.map((table) => sql.run(`DELETE FROM ${table} WHERE server = ?`));

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
  const clearNames = sql.run('DELETE FROM named_media WHERE server = ? AND slot = ?');
  const nameMedia = sql.run('INSERT OR IGNORE INTO named_media (server, slot, sha256) VALUES (?, ?, ?)');
  const dropHeld = sql.run(
    `DELETE FROM manifests WHERE server = ? AND slot = 'held'
     AND EXISTS (SELECT 1 FROM manifests WHERE server = ? AND slot = 'target')`,
  );
  const dropHeldNames = sql.run(
    `DELETE FROM named_media WHERE server = ? AND slot = 'held'
     AND EXISTS (SELECT 1 FROM manifests WHERE server = ? AND slot = 'target')`,
  );
  const holdTarget = sql.run(`UPDATE manifests SET slot = 'held' WHERE server = ? AND slot = 'target'`);
  const holdTargetNames = sql.run(
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
  const forgetCommands = sql.run(
    `DELETE FROM commands WHERE server = ? AND received_at < ?
     AND json_extract(entry, '$.stage') = json_extract(entry, '$.told')`,
  );
  const readFact = sql.one(rows.factRow, 'SELECT value FROM facts WHERE name = ?');
  const readLocal = sql.one(rows.localSettingsRow, 'SELECT value FROM facts WHERE name = ?');
  const eraseFact = sql.run('DELETE FROM facts WHERE name = ?');
  const writeFact = sql.run('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)');
  const listMedia = sql.all(rows.mediaRow, 'SELECT sha256, size, content_type FROM media');
  const writeMedia = sql.run(
    `INSERT INTO media (sha256, size, content_type) VALUES (?, ?, ?)
     ON CONFLICT (sha256) DO UPDATE SET size = excluded.size, content_type = excluded.content_type`,
  );
  const deleteMedia = sql.run('DELETE FROM media WHERE sha256 = ?');
  const touchMedia = sql.run('UPDATE media SET shown_at = ? WHERE sha256 = ?');
  const isNamed = sql.one(rows.countRow, `SELECT count(*) AS count FROM (${NAMED}) WHERE sha256 = ?`);
  const unnamedMedia = sql.all(
    rows.mediaRow,
    `SELECT sha256, size, content_type FROM media WHERE sha256 NOT IN (${NAMED}) ORDER BY shown_at, sha256`,
  );

  const forgetRows = () =>
    sql.together(() => {
      for (const erase of forget) erase(server);
      eraseFact(droppedPlaysFact(server));
    });

  // Without the second copy of the identity nothing that a damaged file has given back belongs to anybody.
  if (setAside && !identityFile.read(server)) forgetRows();

  return {
    setAside,
    together: sql.together,
    // The second copy stands in when the database was begun anew.
    readIdentity: () => readIdentity(server) ?? identityFile.read(server),
    saveIdentity(identity) {
      identityFile.write(server, identity);
      writeIdentity(server, identity.deviceId, identity.deviceToken);
    },
    forgetDevice() {
      forgetRows();
      identityFile.erase(server);
    },

    readScreenSecret: () => secretFile.read(server),
    saveScreenSecret: (secret) => secretFile.write(server, secret),

    readPairing: () => readPairing(server)?.session ?? null,
    savePairing(session) {
      if (session) writePairing(server, JSON.stringify(session));
      else erasePairing(server);
    },

    readManifests() {
      const found = readManifests(server);
      const of = (slot: string) => found.find((row) => row.slot === slot)?.body ?? null;
      return { held: of('held'), target: of('target') };
    },
    saveTarget(manifest) {
      sql.together(() => {
        writeTarget(server, manifest.revision, JSON.stringify(manifest));
        clearNames(server, 'target');
        for (const asset of manifest.assets) nameMedia(server, 'target', asset.sha256);
      });
    },
    promoteTarget() {
      sql.together(() => {
        dropHeldNames(server, server);
        dropHeld(server, server);
        holdTarget(server);
        holdTargetNames(server);
      });
    },

    ...playsOf(sql, server),

    saveSample: (sample) => void writeSample(server, sample.measured_at, JSON.stringify(sample)),
    readSamples: (limit) => readSamples(server, limit).map((row) => row.sample),
    deleteSamples(measuredAt) {
      sql.together(() => {
        for (const at of measuredAt) deleteSample(server, at);
      });
    },

    readCommands: () => readCommands(server).map((row) => row.entry),
    saveCommand: (entry) =>
      void writeCommand(server, entry.id, Math.round(entry.receivedAtMs), JSON.stringify(entry)),
    forgetCommandsBefore: (ms) => void forgetCommands(server, ms),

    readLastGoodTime() {
      const value = Number(readFact('last_good_time')?.value);
      return Number.isFinite(value) ? value : null;
    },
    saveLastGoodTime: (ms) => void writeFact('last_good_time', String(Math.round(ms))),

    readLocal: () => readLocal('local_settings')?.value ?? NOTHING_LOCAL,
    saveLocal: (settings) => void writeFact('local_settings', JSON.stringify(settings)),

    listMedia: () => listMedia(),
    putMedia: (row) => void writeMedia(row.sha256, row.size, row.contentType),
    removeMedia: (sha256) => void deleteMedia(sha256),
    mediaShown: (sha256, atMs) => void touchMedia(Math.round(atMs), sha256),
    isNamed: (sha256) => (isNamed(server, sha256)?.count ?? 0) > 0,
    unnamedMedia: () => unnamedMedia(server),

    close: () => void db.close(),
  };
}
