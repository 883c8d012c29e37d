import { join } from 'node:path';
import { operations } from '@placard/protocol/api';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../../../test/support/temp-dir.ts';
import { runCommand } from './support/command-line.ts';
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
