import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';

/** Columns that change with each heartbeat. */
const LIVE_COLUMNS = [
  'last_seen',
  'last_heartbeat',
  'clock_offset_ms',
  'applied_manifest_revision',
  'current',
  'storage',
  'frames',
  'tz_version',
  'faults',
  'latest_sample',
] as const;

/**
 * Narrow tables for what each heartbeat writes: the live state of a device in a row of its own, without indexes on the
 * columns that always change, and one small row per sample under the number of the device. Buckets of earlier versions
 * stay as they are: only their hours and days grow from here on.
 */
export const deviceLive: Migration = {
  async up(db: Kysely<unknown>) {
    await sql`create table device_live (
      device integer primary key autoincrement,
      online integer not null default 0,
      rolled_up_until integer not null default 0,
      last_seen integer,
      last_heartbeat integer,
      clock_offset_ms integer,
      applied_manifest_revision text,
      current text,
      storage text,
      frames text,
      tz_version text,
      faults text,
      latest_sample text
    )`.execute(db);
    await sql`alter table devices add column number integer references device_live (device)`.execute(db);
    await sql`alter table removed_devices add column number integer references device_live (device)`.execute(
      db,
    );
    const columns = sql.join(LIVE_COLUMNS.map((column) => sql.ref(column)));
    // All samples of earlier versions are in the buckets; those after the newest are not.
    await sql`insert into device_live (device, online, rolled_up_until, ${columns})
      select rowid, status = 'online',
        coalesce((select max(measured_at) + 1 from heartbeat_samples where device_id = devices.id), 0), ${columns}
      from devices`.execute(db);
    await sql`update devices set number = rowid`.execute(db);
    await sql`create unique index devices_by_number on devices (number)`.execute(db);
    // Finds silent devices among those that count as online.
    await sql`create index device_live_by_last_seen on device_live (last_seen) where online = 1`.execute(db);

    await db.schema.dropIndex('devices_by_status_last_seen').execute();
    await db.schema.createIndex('devices_by_status').on('devices').column('status').execute();
    // Revisions are derived when they are asked for.
    for (const column of [...LIVE_COLUMNS, 'manifest_revision']) {
      await db.schema.alterTable('devices').dropColumn(column).execute();
    }

    // A value is stored in tenths if that is exact (an integer takes 1 or 2 bytes), otherwise as a real.
    await sql`create table samples (
      device integer not null,
      at integer not null,
      cpu integer,
      memory integer,
      disk integer,
      temperature integer,
      wifi integer,
      primary key (device, at)
    ) without rowid`.execute(db);
  },
};
