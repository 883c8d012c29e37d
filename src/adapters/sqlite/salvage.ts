import Database from 'better-sqlite3';
import { z } from 'zod';
import type { Log } from '../../core/ports.ts';
import * as rows from './rows.ts';

/** Differs from the original revision, so that the cloud is asked for an intact copy as soon as possible. */
const SALVAGED_REVISION = 'salvaged';

interface SalvageQuery {
  table: string;
  select: string;
  /** Rows that do not parse are skipped. */
  row: z.ZodType;
}

/** Data that exists nowhere else. Media and the identity can be restored from their files. */
const SALVAGE_QUERIES: readonly SalvageQuery[] = [
  {
    table: 'plays',
    select: `SELECT * FROM plays NOT INDEXED WHERE state = 'closed'`,
    row: rows.closedPlayRow,
  },
  // The page still shows one of them, or is about to.
  {
    table: 'plays',
    select: `SELECT * FROM plays NOT INDEXED WHERE state <> 'closed'`,
    row: rows.unfinishedRow,
  },
  { table: 'commands', select: 'SELECT * FROM commands NOT INDEXED', row: rows.commandRow },
  {
    table: 'facts',
    // A device without a clock battery has no better time; an impossible one would keep the clock wrong for ever.
    select: `SELECT * FROM facts NOT INDEXED WHERE name <> 'last_good_time' OR value GLOB '[12]${'[0-9]'.repeat(12)}'`,
    row: rows.keyValueRow,
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
 * Copies the readable rows of a damaged file: unreported plays, commands that must not run again, and the held
 * manifest.
 */
export function salvage(deps: { from: string; into: Database.Database; log: Log }): void {
  const { from, into, log } = deps;
  const counts: Record<string, number> = {};
  try {
    const damaged = new Database(from, { readonly: true, fileMustExist: true });
    try {
      for (const query of SALVAGE_QUERIES) {
        const copied = into.transaction(() => copyRows(damaged, into, query))();
        counts[query.table] = (counts[query.table] ?? 0) + copied;
      }
    } finally {
      damaged.close();
    }
  } catch (error) {
    // The file may have no readable rows, or the disk no room for them.
    log.warn({ error: String(error) }, 'database.salvage_failed');
  }
  log.warn({ ...counts }, 'database.salvaged');
}

/** Copies rows until the first unreadable one; returns how many. */
function copyRows(
  from: Database.Database,
  into: Database.Database,
  { table, select, row }: SalvageQuery,
): number {
  let count = 0;
  try {
    for (const found of from.prepare<[], Record<string, unknown>>(select).iterate()) {
      if (!row.safeParse(found).success) {
        continue;
      }
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
