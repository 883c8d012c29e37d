import Database from 'better-sqlite3';
import { z } from 'zod';
import type { Log } from '../../core/ports.ts';
import * as rows from './rows.ts';

/** Not the revision that it had: the cloud is asked for a sound copy as soon as it can be. */
const SALVAGED_REVISION = 'salvaged';

interface Wanted {
  table: string;
  select: string;
  /** What cannot be understood is left where it is. */
  row: z.ZodType;
}

/** What nobody else could tell again. Media and the identity have proofs of their own. */
const WANTED: readonly Wanted[] = [
  {
    table: 'plays',
    select: `SELECT * FROM plays NOT INDEXED WHERE state = 'closed'`,
    row: rows.closedPlayRow,
  },
  // The page shows one of them still, or is about to.
  {
    table: 'plays',
    select: `SELECT * FROM plays NOT INDEXED WHERE state <> 'closed'`,
    row: rows.unfinishedRow,
  },
  { table: 'commands', select: 'SELECT * FROM commands NOT INDEXED', row: rows.commandRow },
  {
    table: 'facts',
    // A box without a clock battery has no better time; one that no clock can have shown would hold it for ever.
    select: `SELECT * FROM facts NOT INDEXED WHERE name <> 'last_good_time' OR value GLOB '[12]${'[0-9]'.repeat(12)}'`,
    row: rows.factRow,
  },
  {
    table: 'named_media',
    select: `SELECT * FROM named_media WHERE slot = 'held'`,
    row: z.object({ sha256: z.string() }),
  },
  {
    table: 'manifests',
    select: `SELECT server, slot, '${SALVAGED_REVISION}' AS revision,
      json_set(body, '$.revision', '${SALVAGED_REVISION}') AS body FROM manifests NOT INDEXED WHERE slot = 'held'`,
    row: rows.manifestRow,
  },
];

/**
 * Brings over from a damaged file what it still gives back: plays that nobody was told of, commands that must not run
 * again, and what was on the screen.
 */
export function salvage(deps: { from: string; into: Database.Database; log: Log }): void {
  const { from, into, log } = deps;
  const counts: Record<string, number> = {};
  try {
    const damaged = new Database(from, { readonly: true, fileMustExist: true });
    try {
      for (const wanted of WANTED) {
        const copied = into.transaction(() => copyRows(damaged, into, wanted))();
        counts[wanted.table] = (counts[wanted.table] ?? 0) + copied;
      }
    } finally {
      damaged.close();
    }
  } catch (error) {
    // There may be nothing left in it, or no room for more.
    log.warn({ error: String(error) }, 'store.not_salvaged');
  }
  log.warn({ ...counts }, 'store.salvaged');
}

/** Copies rows until the file gives no more of them, and tells how many. */
function copyRows(from: Database.Database, into: Database.Database, { table, select, row }: Wanted): number {
  let count = 0;
  try {
    for (const found of from.prepare<[], Record<string, unknown>>(select).iterate()) {
      if (!row.safeParse(found).success) continue;
      const columns = Object.keys(found);
      const values = columns.map((name) => `@${name}`);
      const insert = into.prepare(
        `INSERT OR IGNORE INTO ${table} (${columns.join()}) VALUES (${values.join()})`,
      );
      count += insert.run(found).changes;
    }
  } catch {
    // The damage begins here.
  }
  return count;
}
