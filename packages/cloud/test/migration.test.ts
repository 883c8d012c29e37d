import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { operations } from '@placard/protocol/api';
import Sqlite from 'better-sqlite3';
import { Kysely, Migrator, SqliteDialect } from 'kysely';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { MIGRATIONS } from '../src/database/migrations/index.ts';
import { runCommand } from './support/command-line.ts';
import { createApi } from './trials/support/api.ts';
import { makeAdminKey, startCloudProcess } from './trials/support/cloud-process.ts';
import { createHttpClient } from './trials/support/http-client.ts';
import { freePort } from '../../../test/support/free-port.ts';

vi.setConfig({ testTimeout: 600_000 });

/** `npm run test:migration` sets 50,000: a million buckets and a million samples. */
const DEVICES = Number(process.env['PLACARD_MIGRATION_DEVICES'] ?? 500);
const PER_DEVICE = 20;
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Within the retention of minutes. */
const SINCE = Math.floor(Date.now() / HOUR_MS) * HOUR_MS - 5 * HOUR_MS;
const iso = (ms: number) => new Date(ms).toISOString();

const print = (line: string) => process.stdout.write(`${line}\n`);
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

/** A data folder as the version before the narrow tables left it, hours ago: one sample a minute from each device. */
async function createFolderOfVersionBefore(dataDir: string): Promise<void> {
  const database = new Sqlite(join(dataDir, 'cloud.sqlite'));
  database.pragma('journal_mode = WAL');
  // The folder is an input of the test, not its subject.
  database.pragma('synchronous = OFF');
  const older = new Kysely<unknown>({ dialect: new SqliteDialect({ database }) });
  const before = Object.entries(MIGRATIONS).filter(([name]) => name < '0015');
  const provider = { getMigrations: async () => Object.fromEntries(before) };
  const { error } = await new Migrator({ db: older, provider }).migrateToLatest();
  expect(error).toBeUndefined();
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
    for (let number = 0; number < DEVICES; number++) {
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
}

/** Starts the cloud on the folder; checks what it answers about some devices. Returns how long it took to serve. */
async function startAndCompare(dataDir: string, adminKey: string): Promise<number> {
  const options = { dataDir, port: await freePort(), adminKey };
  const startMs = performance.now();
  const cloud = await startCloudProcess(options);
  const servedAfterMs = performance.now() - startMs;
  const client = createHttpClient({ url: cloud.url });
  try {
    const api = createApi({ client, key: () => adminKey });
    for (const number of [0, Math.floor(DEVICES / 2), DEVICES - 1]) {
      const params = { id: deviceId(number) };
      const device = await api.expectSuccess(operations.getDevice, { params });
      expect(device).toMatchObject({
        id: params.id,
        status: 'offline',
        last_heartbeat: iso(SINCE + number),
        latest_heartbeat: latest,
        hardware,
        storage,
        faults: [fault],
        current_playlist: { id: current.playlist_id, since: iso(SINCE) },
      });
      const query = { from: iso(SINCE), to: iso(SINCE + HOUR_MS) };
      const bucketsOf = (interval: string) =>
        api.expectSuccess(operations.listHeartbeats, { params, query: { ...query, interval } });
      const first = number % 50;
      expect(await bucketsOf('minute')).toEqual(
        Array.from({ length: PER_DEVICE }, (_, minute) => ({
          timestamp: iso(SINCE + minute * MINUTE_MS),
          samples: 1,
          cpu_percent: { avg: first + minute, min: first + minute, max: first + minute },
          memory_percent: { avg: 40, min: 40, max: 40 },
          disk_percent: null,
          temperature_celsius: null,
          wifi_signal_dbm: null,
        })),
      );
      for (const interval of ['hour', 'day']) {
        expect(await bucketsOf(interval)).toMatchObject([
          {
            samples: PER_DEVICE,
            cpu_percent: {
              avg: first + (PER_DEVICE - 1) / 2,
              min: first,
              max: first + PER_DEVICE - 1,
            },
          },
        ]);
      }
    }
  } finally {
    await client.close();
    await cloud.stop();
  }
  return servedAfterMs;
}

const run = (on: string, ...args: string[]) => runCommand(...args, '--data', on, '--min-free', '0');

test('a data folder of the version before serves the same answers; so does a backup of it', async () => {
  const folder = tempDir(onTestFinished);
  const [dataDir, restored] = [join(folder, 'data'), join(folder, 'restored')];
  const file = join(folder, 'backup.tar');
  mkdirSync(dataDir);
  await createFolderOfVersionBefore(dataDir);

  // All three also know the tables of the version before.
  expect(await run(dataDir, 'doctor')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`${DEVICES} × 2026a`),
  });
  expect(await run(dataDir, 'backup', file)).toMatchObject({ code: 0, stderr: '' });
  expect(await run(restored, 'restore', file)).toMatchObject({ code: 0, stderr: '' });

  for (const each of [dataDir, restored]) {
    const adminKey = makeAdminKey();
    const servedAfterMs = await startAndCompare(each, adminKey);
    const againAfterMs = await startAndCompare(each, adminKey);
    print(
      `${DEVICES} devices, ${DEVICES * (PER_DEVICE + 2)} buckets, ${DEVICES * PER_DEVICE} samples: ` +
        `migrated and serving after ${Math.round(servedAfterMs)} ms; at the next start after ${Math.round(againAfterMs)} ms`,
    );
    expect(await run(each, 'doctor')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${DEVICES} × 2026a`),
    });
  }
});
