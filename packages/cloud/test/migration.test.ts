import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { operations } from '@placard/protocol/api';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { waitUntil } from '../../../test/support/wait-until.ts';
import { CLOUD_MAIN, runCommand } from './support/command-line.ts';
import { createOlderDataFolder, olderDataFolder } from './support/older-data-folder.ts';
import { createApi } from './trials/support/api.ts';
import { makeAdminKey, startCloudProcess } from './trials/support/cloud-process.ts';
import { createHttpClient } from './trials/support/http-client.ts';
import { freePort } from '../../../test/support/free-port.ts';

vi.setConfig({ testTimeout: 600_000 });

/** `npm run test:migration` sets 50,000: a million buckets and a million samples. */
const DEVICES = Number(process.env['PLACARD_MIGRATION_DEVICES'] ?? 500);
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const { deviceId, sinceMs: SINCE, perDevice: PER_DEVICE } = olderDataFolder;
const { hardware, storage, fault, current, latest } = olderDataFolder.reported;
const iso = (ms: number) => new Date(ms).toISOString();

const print = (line: string) => process.stdout.write(`${line}\n`);
/** Starts the cloud on the folder; checks what it answers about some devices. */
async function startAndCompare(
  { dataDir, devices }: { dataDir: string; devices: number },
  adminKey: string,
): Promise<{ servedAfterMs: number; output: string }> {
  const options = { dataDir, port: await freePort(), adminKey };
  const startMs = performance.now();
  const cloud = await startCloudProcess(options);
  const servedAfterMs = performance.now() - startMs;
  const client = createHttpClient({ url: cloud.url });
  try {
    const api = createApi({ client, key: () => adminKey });
    for (const number of [0, Math.floor(devices / 2), devices - 1]) {
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
  return { servedAfterMs, output: cloud.recentOutput() };
}

const run = (on: string, ...args: string[]) => runCommand(...args, '--data', on, '--min-free', '0');

test('a data folder of the version before serves the same answers; so does a backup of it', async () => {
  const folder = tempDir(onTestFinished);
  const [dataDir, restored] = [join(folder, 'data'), join(folder, 'restored')];
  const file = join(folder, 'backup.tar');
  await createOlderDataFolder(dataDir, DEVICES);

  // All three also know the tables of the version before.
  expect(await run(dataDir, 'doctor')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`${DEVICES} × 2026a`),
  });
  expect(await run(dataDir, 'backup', file)).toMatchObject({ code: 0, stderr: '' });
  expect(await run(restored, 'restore', file)).toMatchObject({ code: 0, stderr: '' });

  for (const each of [dataDir, restored]) {
    const adminKey = makeAdminKey();
    const on = { dataDir: each, devices: DEVICES };
    const { servedAfterMs, output } = await startAndCompare(on, adminKey);
    expect(output).toMatch(/"from":"0014-delivery-budget","to":"\d{4}-[\w-]+","event":"database.migrating"/);
    expect(output).toMatch(/"ms":\d+,"event":"database.migrated"/);
    const { servedAfterMs: againAfterMs, output: again } = await startAndCompare(on, adminKey);
    expect(again).not.toContain('database.migrat');
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

/** So many that the program is still writing when it is killed. */
const KILLED_DEVICES = Math.max(DEVICES, 3_000);

const bytesOf = (file: string) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;
const modifiedAt = (file: string) => String(statSync(file, { bigint: true }).mtimeNs);
const isModified: Moment['hasCome'] = (_, file, before) => modifiedAt(file) !== before;

interface Moment {
  name: string;
  hasCome: (log: string, file: string, before: string) => boolean;
}
/** What has happened when the program is killed, from its log and the files of the folder. */
const MOMENTS: readonly Moment[] = [
  { name: 'it has said that it migrates', hasCome: (log) => log.includes('database.migrating') },
  { name: 'it has written to the journal', hasCome: (_, file) => bytesOf(`${file}-wal`) > 0 },
  { name: 'it has written 1 MB to the journal', hasCome: (_, file) => bytesOf(`${file}-wal`) > 2 ** 20 },
  // A shorter journal stays beside the database.
  ...(KILLED_DEVICES < 20_000 ? [] : [{ name: 'it has written to the database', hasCome: isModified }]),
  { name: 'it has said that it is done', hasCome: (log) => log.includes('database.migrated') },
];

/** Starts the cloud on the folder, and kills it without clean-up when the moment has come. */
async function startAndKill(
  { dataDir, adminKey }: { dataDir: string; adminKey: string },
  { name, hasCome }: Moment,
): Promise<void> {
  const file = join(dataDir, 'cloud.sqlite');
  const before = modifiedAt(file);
  const child = spawn(process.execPath, [CLOUD_MAIN, '--port', '0', '--data', dataDir], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PLACARD_ADMIN_KEY: adminKey },
  });
  onTestFinished(() => void child.kill('SIGKILL'));
  let log = '';
  child.stderr.on('data', (bytes: Buffer) => (log += bytes.toString()));
  const closed = once(child, 'close');
  const hasEnded = () => child.exitCode !== null;
  await waitUntil(name, () => hasEnded() || hasCome(log, file, before), 60_000, 1);
  expect(hasEnded(), log).toBe(false);
  child.kill('SIGKILL');
  await closed;
}

test('a cloud that is killed while it migrates serves the same answers after the next start', async () => {
  const folder = tempDir(onTestFinished);
  const [older, dataDir] = [join(folder, 'older'), join(folder, 'data')];
  await createOlderDataFolder(older, KILLED_DEVICES);
  for (const moment of MOMENTS) {
    cpSync(older, dataDir, { recursive: true });
    const adminKey = makeAdminKey();
    await startAndKill({ dataDir, adminKey }, moment);
    const { output } = await startAndCompare({ dataDir, devices: KILLED_DEVICES }, adminKey);
    const isNew = !output.includes('database.migrating');
    print(`killed when ${moment.name}: found the ${isNew ? 'new' : 'old'} folder`);
    expect(await run(dataDir, 'doctor')).toMatchObject({
      code: 0,
      stdout: expect.stringContaining(`${KILLED_DEVICES} × 2026a`),
    });
    rmSync(dataDir, { recursive: true });
  }
});
