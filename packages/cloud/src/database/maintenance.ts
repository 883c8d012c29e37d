import { existsSync, statfsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { formatBytes } from '../domain/disk-state.ts';
import { errorMessage } from '../domain/error-details.ts';
import { StartupError } from '../domain/startup-error.ts';
import type { DatabaseOwner } from '../domain/media-owner.ts';
import type { NewAuditEntry } from './audit-log.ts';
import { describePostgres } from './postgres-url.ts';
import type { Row } from './schema.ts';

/** A blob that the database references. */
export interface ReferencedBlob {
  sha256: string;
  /** Expected bytes; null if the database does not store them. */
  size: number | null;
  /** Name of an asset that uses it. */
  asset: string;
  /** The blob is the asset's thumbnail, not its file. */
  isThumbnail: boolean;
  /** A device has sent it: a running cloud deletes it as soon as another one takes its place. */
  isSent: boolean;
}

export const DATABASE_FILE = 'cloud.sqlite';

/** Pages that are copied before the next look at the disk. */
const PAGES_PER_STEP = 100;

/** For messages; `url` is that of a database on PostgreSQL. */
export const describeDatabase = (dataDir: string, url: string | undefined): string =>
  url === undefined ? join(dataDir, DATABASE_FILE) : describePostgres(url);

/** Returns the database file; throws if the folder contains none, instead of creating one by mistake. */
export function requireDatabase(dataDir: string): string {
  const file = join(dataDir, DATABASE_FILE);
  if (!existsSync(file)) {
    throw new StartupError(`There is no cloud in ${dataDir}. Name its data folder with --data.`);
  }
  return file;
}

/**
 * Makes a copy of the database of a running cloud, as it is when the copy begins. Ends with a `StartupError` when less than
 * `minFreeBytes` are free on the disk of the data folder: what the cloud commits meanwhile stays in the write-ahead log, and
 * the cloud could not move it to the database any more once that has filled the disk.
 */
export async function copyDatabase(dataDir: string, to: string, minFreeBytes: number): Promise<void> {
  const file = requireDatabase(dataDir);
  const source = new Sqlite(file, { readonly: true });
  try {
    // One transaction for the whole copy: after a commit of another process SQLite would otherwise begin it again.
    source.exec('begin');
    source.prepare('select 1 from sqlite_schema').get();
    await source.backup(to, {
      progress() {
        requireFreeSpace(dataDir, minFreeBytes);
        return PAGES_PER_STEP;
      },
    });
  } finally {
    moveWal(file, () => source.close());
    source.close();
  }
}

function requireFreeSpace(dataDir: string, minFreeBytes: number): void {
  const { bavail, bsize } = statfsSync(dataDir);
  const freeBytes = bavail * bsize;
  if (freeBytes < minFreeBytes) {
    throw new StartupError(
      `The disk of the data folder ${dataDir} has ${formatBytes(freeBytes)} left, and ${formatBytes(minFreeBytes)} must stay free ` +
        'for what the cloud writes while its database is copied (--min-free). No file was written. ' +
        'Free disk space, write the backup to another or a faster disk, or give a smaller --min-free; then start it again.',
    );
  }
}

/**
 * Moves what was committed during a long read from the write-ahead log to the database, once `endRead` has ended it. When it
 * is long, the cloud would do so within its next commit, and everybody would wait for it.
 */
function moveWal(file: string, endRead: () => void): void {
  try {
    const database = new Sqlite(file);
    try {
      // Before the end of the read: it takes milliseconds, in which a commit of the cloud would move everything.
      database.prepare('select 1 from sqlite_schema').get();
      endRead();
      database.pragma('wal_checkpoint(passive)');
    } finally {
      database.close();
    }
  } catch {
    // Such as a full disk. The read is complete, and the cloud tries again.
  }
}

/** Removes the file of a database that is not in use, with the files that SQLite has beside it, if there are any. */
export async function removeDatabase(file: string): Promise<void> {
  for (const each of [file, `${file}-wal`, `${file}-shm`]) {
    await rm(each, { force: true });
  }
}

/**
 * Adds an audit log entry for the restore to a database that is not in use, and gives it another id than the one that was
 * saved; old databases have no audit log or no id.
 */
export function recordRestore(file: string, row: NewAuditEntry, mediaId: string): void {
  const database = new Sqlite(file);
  try {
    if (hasMediaOwner(database)) {
      database.prepare('update organization set media_id = ?, media_turn = 0').run(mediaId);
    }
    const auditTable = database.prepare("select 1 from sqlite_master where name = 'audit_log'").get();
    if (auditTable === undefined) {
      return;
    }
    const values: Record<string, unknown> = { ...row, changes: JSON.stringify(row.changes) };
    const columns = Object.keys(values);
    database
      .prepare(`insert into audit_log (${columns.join(', ')}) values (${columns.map(() => '?').join(', ')})`)
      .run(Object.values(values));
  } finally {
    database.close();
  }
}

/** False for a database of an earlier version. */
const hasMediaOwner = (database: Sqlite.Database): boolean =>
  database.prepare("select 1 from pragma_table_info('organization') where name = 'media_id'").get() !==
  undefined;

export interface DatabaseReport {
  /** Problems that were found; empty if there are none. */
  problems: string[];
  blobs: ReferencedBlob[];
  /** The latest timestamp in it, in milliseconds; null if it has none. */
  newestMs: number | null;
  /** Number of devices by version of their time zone data; null: not reported. */
  deviceZones: { version: string | null; devices: number }[];
  mediaOwner: DatabaseOwner;
}

const NO_OWNER: DatabaseOwner = { id: null, turn: 0 };
const UNREADABLE_REPORT = { blobs: [], newestMs: null, deviceZones: [], mediaOwner: NO_OWNER };

type BlobColumns = Pick<Row<'assets'>, 'name' | 'sha256' | 'thumbnail'> & {
  /** Null for what a device has sent: its row has the bytes of the device, and the file some more. */
  size: number | null;
};

/** The blobs of an asset, or of another row. */
export const referencedBlobs = ({ name, sha256, size, thumbnail }: BlobColumns): ReferencedBlob[] => [
  { sha256, size, asset: name, isThumbnail: false, isSent: size === null },
  ...(thumbnail === null
    ? []
    : [{ sha256: thumbnail.split('.')[0] ?? '', size: null, asset: name, isThumbnail: true, isSent: false }]),
];

/** What else has blobs, by table: copies of assets, and what devices have sent. */
export const OTHER_BLOBS = {
  renditions:
    "select 'a rendition of ' || content_id as name, sha256, size, null as thumbnail from renditions where sha256 is not null",
  screenshots:
    "select 'the screenshot of ' || device_id as name, sha256, null as size, null as thumbnail from screenshots",
  fault_screenshots:
    "select 'a screenshot of ' || device_id as name, sha256, null as size, null as thumbnail from fault_screenshots",
  device_logs:
    "select 'the logs of ' || device_id as name, sha256, null as size, null as thumbnail from device_logs",
};

/** Deletes the rows of what devices have sent whose files are gone, in a database that is not in use. */
export function forgetSentFiles(file: string, sha256s: readonly string[]): void {
  const database = new Sqlite(file);
  try {
    const hasTable = database.prepare('select 1 from sqlite_schema where name = ?');
    const deletions = ['screenshots', 'fault_screenshots', 'device_logs']
      // A database of an older version has none.
      .filter((table) => hasTable.get(table))
      .map((table) => database.prepare(`delete from ${table} where sha256 = ?`));
    database.transaction(() => {
      for (const sha256 of sha256s) {
        for (const deletion of deletions) {
          deletion.run(sha256);
        }
      }
    })();
  } finally {
    database.close();
  }
}

/**
 * Checks a database without changing what is in it. `isInUse`: a cloud may be writing to it, and what it has written meanwhile
 * is moved from the write-ahead log to the database, unless that is damaged.
 */
export function inspectDatabase(file: string, { isInUse = false } = {}): DatabaseReport {
  const problems: string[] = [];
  let database: Sqlite.Database;
  try {
    database = new Sqlite(file, { readonly: true });
  } catch (error) {
    return { ...UNREADABLE_REPORT, problems: [errorMessage(error)] };
  }
  try {
    database.exec('begin');
    const found: unknown = database.pragma('integrity_check', { simple: true });
    if (found !== 'ok') {
      problems.push(`integrity check: ${String(found)}`);
    }
    const broken = database.pragma('foreign_key_check');
    if (Array.isArray(broken) && broken.length > 0) {
      problems.push(`${broken.length} rows reference something that does not exist`);
    }
    problems.push(...findOrphanedSamples(database));
    const hasTable = database.prepare('select 1 from sqlite_schema where name = ?');
    const blobs = [
      // A backup of an older version has none.
      ...Object.entries(OTHER_BLOBS).flatMap(([table, query]) => (hasTable.get(table) ? [query] : [])),
      'select name, sha256, size, thumbnail from assets',
    ]
      .flatMap((query) => database.prepare<[], BlobColumns>(query).all())
      .flatMap(referencedBlobs);
    const newest = database
      .prepare<[], { at: number | null }>(
        `select max(at) as at from (select max(created_at) as at from assets
          union all select max(last_used_at) from api_keys
          union all select max(last_seen) from ${stateTable(database)}
          union all select max(ended_at) from observed_spans)`,
      )
      .get();
    const mediaOwner = hasMediaOwner(database)
      ? database
          .prepare<[], DatabaseOwner>('select media_id as id, media_turn as turn from organization')
          .get()
      : undefined;
    return {
      problems,
      blobs,
      newestMs: newest?.at ?? null,
      deviceZones: readDeviceZones(database),
      mediaOwner: mediaOwner ?? NO_OWNER,
    };
  } catch (error) {
    problems.push(errorMessage(error));
    return { ...UNREADABLE_REPORT, problems };
  } finally {
    if (isInUse && problems.length === 0) {
      moveWal(file, () => database.close());
    }
    database.close();
  }
}

/**
 * What no foreign key protects: samples carry only the number of their device, to be small, and a column that a migration
 * adds cannot be `not null`. Empty for a database of an earlier version.
 */
function findOrphanedSamples(database: Sqlite.Database): string[] {
  if (stateTable(database) === 'devices') {
    return [];
  }
  const unnumbered = database.prepare('select 1 from devices where number is null').all().length;
  const orphaned = database.prepare(ORPHANED_SAMPLES).all().length;
  return describeOrphans({ unnumbered, orphaned });
}

/** The devices with samples but without a state, by the first sample of each: there are thousands per device. */
export const ORPHANED_SAMPLES = `with recursive sampled (device) as (
    select min(device) from samples
    union all
    select (select min(device) from samples where device > sampled.device) from sampled where device is not null)
  select 1 from sampled where device is not null and device not in (select device from device_live)`;

export const describeOrphans = ({
  unnumbered,
  orphaned,
}: Record<'unnumbered' | 'orphaned', number>): string[] => [
  ...(unnumbered > 0 ? [`${unnumbered} devices have no number`] : []),
  ...(orphaned > 0 ? [`${orphaned} devices have samples but no state`] : []),
];

/** The table of what devices report: earlier versions stored it with the devices. */
const stateTable = (database: Sqlite.Database): string =>
  database.prepare("select 1 from sqlite_master where name = 'device_live'").get() === undefined
    ? 'devices'
    : 'device_live';

/** Empty if the database was last migrated by a version that did not store this. */
function readDeviceZones(database: Sqlite.Database): DatabaseReport['deviceZones'] {
  const table = stateTable(database);
  const column = database.prepare("select 1 from pragma_table_info(?) where name = 'tz_version'").get(table);
  if (column === undefined) {
    return [];
  }
  // The row of a removed device stays.
  const ofDevices = table === 'devices' ? '' : 'join devices on devices.number = device_live.device';
  return database
    .prepare<[], { version: string | null; devices: number }>(
      `select tz_version as version, count(*) as devices from ${table} ${ofDevices}
       group by tz_version order by tz_version desc`,
    )
    .all();
}
