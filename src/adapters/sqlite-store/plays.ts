import type { Store } from '../../core/ports.ts';
import * as rows from './rows.ts';
import type { Statements } from './statements.ts';

type PlaysStore = Pick<
  Store,
  | 'readPositions'
  | 'playPrepared'
  | 'playStarted'
  | 'playEnded'
  | 'correctPlays'
  | 'unfinishedPlays'
  | 'pendingPlays'
  | 'confirmPlays'
  | 'dropPlaysBefore'
  | 'readDropped'
  | 'countDropped'
>;

/** Where it is counted what was shown and never told. */
export const droppedPlaysFact = (server: string): string => `plays_dropped ${server}`;

/** What is shown: where each playlist is, and one row for each showing until the cloud has it. */
export function playsOf(sql: Statements, server: string): PlaysStore {
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
  const writeFact = sql.run('INSERT OR REPLACE INTO facts (name, value) VALUES (?, ?)');
  const droppedFact = droppedPlaysFact(server);

  return {
    readPositions: () =>
      Object.fromEntries(readPositions(server).map((row) => [row.playlist_id, row.position])),
    playPrepared(draft, position) {
      sql.together(() => {
        supersede(server);
        if (draft) insertPrepared(draft.id, server, JSON.stringify(draft));
        if (!position) return;
        if (position.position === null) erasePosition(server, position.playlistId);
        else writePosition(server, position.playlistId, JSON.stringify(position.position));
      });
    },
    playStarted(draft, startedAtMs, guess) {
      sql.together(() => {
        openPlay(draft.id, server, JSON.stringify(draft), Math.round(startedAtMs), guess);
        dropSuperseded(server);
        touchMedia(Math.round(startedAtMs), draft.sha256);
      });
    },
    playEnded(draft, startedAtMs, end, guess) {
      closePlay(
        draft.id,
        server,
        JSON.stringify(draft),
        Math.round(startedAtMs),
        Math.round(end.endedAtMs),
        Math.round(end.durationMs),
        end.outcome,
        end.reason,
        guess,
      );
    },
    correctPlays(guess, byMs, right) {
      movePlays(Math.round(byMs), Math.round(byMs), right ? 1 : 0, server, guess);
    },
    unfinishedPlays() {
      const found = readUnfinished(server);
      return {
        prepared: found.find((row) => row.state === 'prepared')?.draft ?? null,
        superseded: found.flatMap((row) => (row.state === 'superseded' ? [row.draft] : [])),
        open: found.flatMap((row) =>
          row.state === 'open' && row.started_at !== null
            ? [{ draft: row.draft, startedAtMs: row.started_at, guess: row.guess }]
            : [],
        ),
      };
    },
    pendingPlays: (limit) => readPending(server, limit),
    confirmPlays(ids) {
      sql.together(() => {
        for (const id of ids) deletePlay(id);
      });
    },
    dropPlaysBefore: (ms) => dropOld(server, ms),
    readDropped: () => readDropped(droppedFact)?.value ?? null,
    countDropped(count, atMs) {
      const known = readDropped(droppedFact)?.value.count ?? 0;
      writeFact(droppedFact, JSON.stringify({ count: known + count, lastAtMs: Math.round(atMs) }));
    },
  };
}
