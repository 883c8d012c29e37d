import { closeSync, fsyncSync, mkdirSync, openSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { Kysely, Migrator, SqliteDialect } from 'kysely';
import { expect } from 'vitest';
import { MIGRATIONS } from '../../src/database/migrations/index.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** When the first sample was taken; within the retention of minutes. */
const SINCE = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 5 * HOUR_MS;
/** Samples of each device, one a minute. */
const PER_DEVICE = 20;
const iso = (ms: number) => new Date(ms).toISOString();
const deviceId = (number: number) => `dev_${String(number).padStart(8, '0')}`;
const storage = { cache_bytes: 1, free_bytes: 2, assets_held: 3, assets_missing: 4 };
const hardware = { model: 'Box', cpu: { model: 'A processor '.repeat(10), cores: 4 } };
const fault = { code: 'network.wifi_weak', since: iso(SINCE), facts: { dbm: -80 } };
const current = {
  playlist_id: 'pl_00000000000000000001',
  item_id: 'item_00000000000000000001',
  content_id: 'asset_00000000000000000001',
  since: iso(SINCE),
  playlist_since: iso(SINCE),
};
const latest = {
  measured_at: iso(SINCE + (PER_DEVICE - 1) * MINUTE_MS),
  cpu_percent: 12.5,
  memory_percent: 40,
  disk_percent: 20,
  temperature_celsius: null,
  wifi_signal_dbm: -54,
};

/** Makes a data folder as a version of migration 0014 left it, hours ago: one sample a minute from each device. */
export async function createOlderDataFolder(dataDir: string, devices: number): Promise<void> {
  mkdirSync(dataDir);
  const file = join(dataDir, 'cloud.sqlite');
  const database = new Sqlite(file);
  database.pragma('journal_mode = WAL');
  // The folder is an input of the test, not its subject.
  database.pragma('synchronous = OFF');
  const older = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) });
  const before = Object.entries(MIGRATIONS).filter(([name]) => name < '0015');
  const provider = { getMigrations: async () => Object.fromEntries(before) };
  const { error } = await new Migrator({ db: older, provider }).migrateToLatest();
  expect(error).toBeUndefined();
  database.exec(`insert into organization (id, name, timezone, epoch, created_at, updated_at)
    values ('org_1', 'Acme', 'UTC', 7, 1, 2)`);
  const insertDevice = database.prepare(
    `insert into devices (id, name, type, platform, serial, orientation, status, told_status, player_version, hardware,
       manifest_revision, last_seen, last_heartbeat, applied_manifest_revision, current, storage, faults, latest_sample,
       tz_version, created_at, updated_at)
     values (@id, @id, 'pc', 'linux', @id, 'landscape', 'online', 'online', '0.1.0', @hardware, @revision, @seen, @seen,
       @revision, @current, @storage, @faults, @latest, '2026a', @seen, @seen)`,
  );
  const reported = {
    hardware: JSON.stringify(hardware),
    revision: 'r'.repeat(32),
    current: JSON.stringify(current),
    storage: JSON.stringify(storage),
    faults: JSON.stringify([fault]),
    latest: JSON.stringify(latest),
  };
  const insertBucket = database.prepare(
    `insert into heartbeat_buckets (device_id, interval, bucket, samples, cpu_count, cpu_sum, cpu_min, cpu_max,
       memory_count, memory_sum, memory_min, memory_max, disk_count, temperature_count, wifi_count)
     values (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0)`,
  );
  const insertSpan = database.prepare('insert into online_spans values (?, ?, null)');
  const insertSample = database.prepare('insert into heartbeat_samples values (?, ?, ?)');
  database.transaction(() => {
    for (let number = 0; number < devices; number++) {
      const id = deviceId(number);
      insertDevice.run({ ...reported, id, seen: SINCE + number });
      insertSpan.run(id, SINCE);
      for (let minute = 0; minute < PER_DEVICE; minute++) {
        const at = SINCE + minute * MINUTE_MS;
        const cpu = (number % 50) + minute;
        insertSample.run(id, at, at);
        insertBucket.run(id, 'minute', at, 1, 1, cpu, cpu, cpu, 1, 40, 40, 40);
      }
      const cpuSum = PER_DEVICE * (number % 50) + (PER_DEVICE * (PER_DEVICE - 1)) / 2;
      const [least, most] = [number % 50, (number % 50) + PER_DEVICE - 1];
      const day = Math.floor(SINCE / (24 * HOUR_MS)) * 24 * HOUR_MS;
      for (const [interval, start] of [
        ['hour', SINCE],
        ['day', day],
      ] as const) {
        const [samples, memorySum] = [PER_DEVICE, PER_DEVICE * 40];
        insertBucket.run(
          id,
          interval,
          start,
          samples,
          samples,
          cpuSum,
          least,
          most,
          samples,
          memorySum,
          40,
          40,
        );
      }
    }
  })();
  await older.destroy();
  // Otherwise the first start would write all of it to the disk.
  const opened = openSync(file, 'r+');
  fsyncSync(opened);
  closeSync(opened);
}

/** What `createOlderDataFolder` wrote. */
export const olderDataFolder = {
  deviceId,
  sinceMs: SINCE,
  perDevice: PER_DEVICE,
  reported: { hardware, storage, fault, current, latest },
};
