import { sql } from 'kysely';
import type { Kysely, Migration } from 'kysely';
import { engineOf } from '../engine/engine-of.ts';

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

/** The others stay; the revision, which is derived when it is asked for, does not. */
const KEPT_COLUMNS = [
  'id',
  'name',
  'type',
  'platform',
  'serial',
  'store_id',
  'orientation',
  'status',
  'player_version',
  'hardware',
  'created_at',
  'updated_at',
  'fit',
  'ground',
  'fade_ms',
  'language',
  'menu_pin_hash',
  'told_status',
] as const;

/**
 * Narrow tables for what each heartbeat writes: the live state of a device in a row of its own, without indexes on the
 * columns that always change, and one small row per sample under the number of the device. Buckets of earlier versions
 * stay as they are, so that the cloud serves within a second or two: only their hours and days grow from here on, and
 * retention deletes their minutes.
 */
export const deviceLive: Migration = {
  async up(db: Kysely<unknown>) {
    const { name: engine, types } = engineOf(db);
    const { text, integer, measure, countedKey } = types;
    await sql`create table device_live (
      device ${countedKey},
      online ${integer} not null default 0,
      rolled_up_until ${integer} not null default 0,
      last_seen ${integer},
      last_heartbeat ${integer},
      clock_offset_ms ${integer},
      applied_manifest_revision ${text},
      current ${text},
      storage ${text},
      frames ${text},
      tz_version ${text},
      faults ${text},
      latest_sample ${text}
    )`.execute(db);
    await sql`alter table removed_devices add column number ${integer} references device_live (device)`.execute(
      db,
    );
    const columns = sql.join(LIVE_COLUMNS.map((column) => sql.ref(column)));
    // All samples of earlier versions are in the buckets; those after the newest are not.
    await sql`insert into device_live (device, online, rolled_up_until, ${columns})
      select rowid, case when status = 'online' then 1 else 0 end,
        coalesce((select max(measured_at) + 1 from heartbeat_samples where device_id = devices.id), 0), ${columns}
      from devices`.execute(db);
    await NARROW[engine](db);
    await sql`create index devices_by_status on devices (status)`.execute(db);
    await sql`create unique index devices_by_number on devices (number)`.execute(db);
    // Finds silent devices among those that count as online.
    await sql`create index device_live_by_last_seen on device_live (last_seen) where online = 1`.execute(db);

    // SQLite: tenths if that is exact (an integer takes 1 or 2 bytes), otherwise a real. PostgreSQL: always a real.
    await sql`create table samples (
      device ${integer} not null,
      at ${integer} not null,
      cpu ${measure},
      memory ${measure},
      disk ${measure},
      temperature ${measure},
      wifi ${measure},
      primary key (device, at)
    )${sql.raw(engine === 'sqlite' ? ' without rowid' : '')}`.execute(db);
  },
};

const NARROW = { sqlite: rebuildDevices, postgres: alterDevices };

async function rebuildDevices(db: Kysely<unknown>): Promise<void> {
  // One rebuild: each `drop column` would write the whole table, 200 ms of 50,000 devices. Foreign keys are off during
  // migrations.
  await sql`create table narrow_devices (
      id text not null primary key,
      name text not null,
      type text not null,
      platform text not null,
      serial text not null,
      store_id text references stores (id) on delete set null,
      orientation text not null,
      status text not null,
      player_version text not null,
      hardware text,
      created_at bigint not null,
      updated_at bigint not null,
      fit text not null default 'contain',
      ground text not null default 'black',
      fade_ms integer not null default 0,
      language text not null default 'en',
      menu_pin_hash text,
      told_status text not null default 'offline',
      number integer references device_live (device)
    )`.execute(db);
  const kept = sql.join(KEPT_COLUMNS.map((column) => sql.ref(column)));
  await sql`insert into narrow_devices (rowid, number, ${kept}) select rowid, rowid, ${kept} from devices
    order by rowid`.execute(db);
  await sql`drop table devices`.execute(db);
  await sql`alter table narrow_devices rename to devices`.execute(db);
  await sql`create index devices_by_created_at_id on devices (created_at, id)`.execute(db);
  await sql`create index devices_by_store_id on devices (store_id)`.execute(db);
}

/** There are no devices yet: no version before this one had its data on PostgreSQL. */
async function alterDevices(db: Kysely<unknown>): Promise<void> {
  const dropped = [...LIVE_COLUMNS, 'manifest_revision'].map((column) => sql`drop column ${sql.ref(column)}`);
  // An index of a dropped column goes with it.
  await sql`alter table devices ${sql.join(dropped)}, add column number bigint references device_live (device)`.execute(
    db,
  );
}
