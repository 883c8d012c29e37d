import type { PlayerDatabase } from '../../core/ports.ts';
import * as rows from './rows.ts';
import type { Statements } from './statements.ts';

/** Key of the count of plays that were dropped unreported. */
export const droppedPlaysKey = (server: string): string => `plays_dropped ${server}`;

/** Queries for playback: the position in each playlist, and one row per play until the cloud has it. */
export function createPlayQueries(sql: Statements, server: string) {
  const readPositions = sql.all(
    rows.positionRow,
    'SELECT playlist_id, position FROM positions WHERE server = ?',
  );
  const writePosition = sql.run(
    'INSERT OR REPLACE INTO positions (server, playlist_id, position) VALUES (?, ?, ?)',
  );
  const erasePosition = sql.run('DELETE FROM positions WHERE server = ? AND playlist_id = ?');
  const supersede = sql.run(`UPDATE plays SET state = 'superseded' WHERE server = ? AND state = 'prepared'`);
  const dropSuperseded = sql.run(`DELETE FROM plays WHERE server = ? AND state = 'superseded'`);
  const insertPrepared = sql.run(
    `INSERT OR IGNORE INTO plays (id, server, state, draft) VALUES (?, ?, 'prepared', ?)`,
  );
  const openPlay = sql.run(
    `INSERT INTO plays (id, server, state, draft, started_at, guess) VALUES (?, ?, 'open', ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET state = 'open', started_at = excluded.started_at, guess = excluded.guess
       WHERE state IN ('prepared', 'superseded')`,
  );
  const closePlay = sql.run(
    `INSERT INTO plays (id, server, state, draft, started_at, ended_at, duration_ms, outcome, reason, guess)
     VALUES (?, ?, 'closed', ?, ?, ?, ?, ?, ?, ?)
     ON CONFLICT (id) DO UPDATE SET state = 'closed', started_at = excluded.started_at,
       ended_at = excluded.ended_at, duration_ms = excluded.duration_ms, outcome = excluded.outcome,
       reason = excluded.reason, guess = excluded.guess WHERE state <> 'closed'`,
  );
  const movePlays = sql.run(
    `UPDATE plays SET started_at = started_at + ?, ended_at = ended_at + ?, guess = iif(?, NULL, guess)
     WHERE server = ? AND guess = ?`,
  );
  const readUnfinished = sql.all(
    rows.unfinishedRow,
    `SELECT state, draft, started_at, guess FROM plays WHERE server = ? AND state <> 'closed' ORDER BY started_at, id`,
  );
  const readPending = sql.all(
    rows.closedPlayRow,
    `SELECT draft, started_at, ended_at, duration_ms, outcome, reason FROM plays
     WHERE server = ? AND state = 'closed' ORDER BY ended_at, id LIMIT ?`,
  );
  const deletePlay = sql.run(`DELETE FROM plays WHERE id = ? AND state = 'closed'`);
  const dropOld = sql.run(`DELETE FROM plays WHERE server = ? AND state = 'closed' AND ended_at < ?`);
  const touchMedia = sql.run('UPDATE media SET shown_at = ? WHERE sha256 = ?');
  const readDropped = sql.one(rows.droppedPlaysRow, 'SELECT value FROM facts WHERE name = ?');
  const writeKeyValue = sql.run('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)');
  const droppedKey = droppedPlaysKey(server);

  return {
    readPositions: () =>
      Object.fromEntries(readPositions(server).map((row) => [row.playlist_id, row.position])),
    savePreparedShowing(showing, position) {
      sql.transaction(() => {
        supersede(server);
        if (showing) {
          insertPrepared(showing.id, server, JSON.stringify(showing));
        }
        if (!position) {
          return;
        }
        if (position.position === null) {
          erasePosition(server, position.playlistId);
        } else {
          writePosition(server, position.playlistId, JSON.stringify(position.position));
        }
      });
    },
    savePlayStart(showing, startedAtMs, unconfirmedBootId) {
      sql.transaction(() => {
        openPlay(showing.id, server, JSON.stringify(showing), Math.round(startedAtMs), unconfirmedBootId);
        dropSuperseded(server);
        touchMedia(Math.round(startedAtMs), showing.sha256);
      });
    },
    savePlayEnd(showing, startedAtMs, end, unconfirmedBootId) {
      closePlay(
        showing.id,
        server,
        JSON.stringify(showing),
        Math.round(startedAtMs),
        Math.round(end.endedAtMs),
        Math.round(end.durationMs),
        end.outcome,
        end.reason,
        unconfirmedBootId,
      );
    },
    shiftUnconfirmedPlays(unconfirmedBootId, offsetMs, isConfirmed) {
      movePlays(Math.round(offsetMs), Math.round(offsetMs), isConfirmed ? 1 : 0, server, unconfirmedBootId);
    },
    readUnfinishedPlays() {
      const found = readUnfinished(server);
      return {
        prepared: found.find((row) => row.state === 'prepared')?.draft ?? null,
        superseded: found.flatMap((row) => (row.state === 'superseded' ? [row.draft] : [])),
        open: found.flatMap((row) =>
          row.state === 'open' && row.started_at !== null
            ? [{ showing: row.draft, startedAtMs: row.started_at, unconfirmedBootId: row.guess }]
            : [],
        ),
      };
    },
    readPendingPlays: (limit) => readPending(server, limit),
    deleteReportedPlays(ids) {
      sql.transaction(() => {
        for (const id of ids) {
          deletePlay(id);
        }
      });
    },
    deletePlaysBefore: (ms) => dropOld(server, ms),
    readDroppedPlays: () => readDropped(droppedKey)?.value ?? null,
    addDroppedPlays(count, atMs) {
      const known = readDropped(droppedKey)?.value.count ?? 0;
      writeKeyValue(droppedKey, JSON.stringify({ count: known + count, lastAtMs: Math.round(atMs) }));
    },
  } satisfies Partial<PlayerDatabase>;
}
