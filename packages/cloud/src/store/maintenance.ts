import { existsSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { messageOf } from '../domain/error-facts.ts';
import { startFault } from '../domain/start-fault.ts';
import type { AuditRow } from './audit-log.ts';

/** A blob that the database names, with what it should be. */
export interface NamedBlob {
  sha256: string;
  /** Bytes, when the database knows. */
  size: number | null;
  /** Name of an asset that needs it. */
  asset: string;
  /** It is the small picture of the asset, not the asset itself. */
  isThumbnail: boolean;
}

export const DATABASE_FILE = 'cloud.sqlite';

/** Refuses a folder that holds no cloud, instead of making one there by mistake. */
export function requireDatabase(dataDir: string): string {
  const file = join(dataDir, DATABASE_FILE);
  if (!existsSync(file))
    throw startFault(`There is no cloud in ${dataDir}. Name its data folder with --data.`);
  return file;
}

/** Copies the database of a running cloud as it is at one instant. */
export async function copyDatabase(dataDir: string, to: string): Promise<void> {
  const source = new Sqlite(requireDatabase(dataDir), { readonly: true });
  try {
    await source.backup(to);
  } finally {
    source.close();
  }
}

/** Notes in the audit log of a database that nobody uses that it came out of a backup; in an older one there is none. */
export function noteRestore(file: string, row: AuditRow): void {
  const database = new Sqlite(file);
  try {
    const known = database.prepare("select 1 from sqlite_master where name = 'audit_log'").get();
    if (known === undefined) return;
    const values: Record<string, unknown> = { ...row, changes: JSON.stringify(row.changes) };
    const columns = Object.keys(values);
    database
      .prepare(`insert into audit_log (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`)
      .run(Object.values(values));
  } finally {
    database.close();
  }
}

export interface DatabaseReport {
  /** What SQLite itself finds wrong; empty when all is well. */
  problems: string[];
  blobs: NamedBlob[];
  /** The latest instant in it, in milliseconds; null when it is empty. */
  newestMs: number | null;
  /** How many devices have which version of the time zone data; null: they have not told. */
  deviceZones: { version: string | null; devices: number }[];
}

const UNREADABLE = { blobs: [], newestMs: null, deviceZones: [] };

/** Looks through a database without changing it. */
export function inspectDatabase(file: string): DatabaseReport {
  const problems: string[] = [];
  let database: Sqlite.Database;
  try {
    database = new Sqlite(file, { readonly: true });
  } catch (error) {
    return { ...UNREADABLE, problems: [messageOf(error)] };
  }
  try {
    const found: unknown = database.pragma('integrity_check', { simple: true });
    if (found !== 'ok') problems.push(`integrity check: ${String(found)}`);
    const broken = database.pragma('foreign_key_check');
    if (Array.isArray(broken) && broken.length > 0)
      problems.push(`${broken.length} rows name something that does not exist`);
    const rows = database
      .prepare<[], { name: string; sha256: string; size: number; thumbnail: string | null }>(
        'select name, sha256, size, thumbnail from assets',
      )
      .all();
    const blobs = rows.flatMap((row) => [
      { sha256: row.sha256, size: row.size, asset: row.name, isThumbnail: false },
      ...(row.thumbnail === null
        ? []
        : [
            {
              sha256: row.thumbnail.split('.')[0] ?? '',
              size: null,
              asset: row.name,
              isThumbnail: true,
            },
          ]),
    ]);
    const newest = database
      .prepare<[], { at: number | null }>(
        `select max(at) as at from (select max(created_at) as at from assets
          union all select max(last_used_at) from api_keys
          union all select max(last_seen) from devices
          union all select max(ended_at) from observed_spans)`,
      )
      .get();
    return { problems, blobs, newestMs: newest?.at ?? null, deviceZones: deviceZonesIn(database) };
  } catch (error) {
    return { ...UNREADABLE, problems: [...problems, messageOf(error)] };
  } finally {
    database.close();
  }
}

/** None where the cloud of before, which did not ask, has left the database as it was. */
function deviceZonesIn(database: Sqlite.Database): DatabaseReport['deviceZones'] {
  const told = database.prepare("select 1 from pragma_table_info('devices') where name = 'tz_version'").get();
  if (told === undefined) return [];
  return database
    .prepare<[], { version: string | null; devices: number }>(
      'select tz_version as version, count(*) as devices from devices group by tz_version order by tz_version desc',
    )
    .all();
}
