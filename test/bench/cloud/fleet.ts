import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEFAULT_DISPLAY, makeId } from '@placard/protocol';
import { hashSecret } from '../../../packages/cloud/src/http-server/secrets.ts';
import { deviceRepository, toDisplayColumns } from '../../../packages/cloud/src/database/devices.ts';
import { openDatabase } from '../../../packages/cloud/src/database/open-database.ts';
import { makeAdminKey, startCloud } from './servers.ts';
import type { BenchCloud } from './servers.ts';

export interface Fleet {
  cloud: BenchCloud;
  /** Of the cloud. */
  dataDir: string;
  devices: { id: string; token: string }[];
  /** Keys of scope Read; many, because each has a rate limit. */
  readKeys: string[];
  /** The same of scope Write. */
  writeKeys: string[];
  stop(): Promise<void>;
}

const READ_KEYS = 2_000;
const WRITE_KEYS = 10;
/** Tag of all devices, and tag of the first hundred. */
export const EVERY_TAG = 'every';
export const HUNDRED_TAG = 'hundred';

/** A cloud with this many paired devices. They are written into its database: pairing them would take hours. */
export async function startFleet(count: number): Promise<Fleet> {
  const dataDir = mkdtempSync(join(tmpdir(), 'placard-bench-'));
  const options = { dataDir, adminKey: makeAdminKey() };
  const removeData = () => rmSync(dataDir, { recursive: true, force: true });
  try {
    const filled = await fillDatabase(options, count);
    const cloud = await startCloud(options);
    const stop = async () => {
      await cloud.stop();
      removeData();
    };
    return { cloud, dataDir, ...filled, stop };
  } catch (error) {
    removeData();
    throw error;
  }
}

async function fillDatabase(
  { dataDir, adminKey }: { dataDir: string; adminKey: string },
  count: number,
): Promise<Pick<Fleet, 'devices' | 'readKeys' | 'writeKeys'>> {
  const nowMs = Date.now();
  const devices = Array.from({ length: count }, () => ({
    id: makeId('device', nowMs, randomBytes(16)),
    token: `pld_${randomBytes(32).toString('base64url')}`,
  }));
  const readKeys = Array.from({ length: READ_KEYS }, makeAdminKey);
  const writeKeys = Array.from({ length: WRITE_KEYS }, makeAdminKey);
  const db = await openDatabase(dataDir);
  await db.transaction().execute(async (trx) => {
    const repository = deviceRepository(trx);
    for (const batch of inBatches([...devices.entries()])) {
      for (const [index, { id }] of batch) {
        await repository.insert(
          {
            id,
            name: `Screen ${index}`,
            type: 'media_player',
            platform: 'linux',
            serial: `SN-${index}`,
            store_id: null,
            orientation: 'landscape',
            ...toDisplayColumns(DEFAULT_DISPLAY),
            menu_pin_hash: null,
            // In the steady state nearly all are online.
            status: 'online',
            told_status: 'online',
            player_version: '0.1.0',
            hardware: null,
            created_at: nowMs,
            updated_at: nowMs,
          },
          index < 100 ? [EVERY_TAG, HUNDRED_TAG] : [EVERY_TAG],
        );
      }
      await trx
        .insertInto('device_tokens')
        .values(
          batch.map(([, { id, token }]) => ({
            hash: hashSecret(token),
            device_id: id,
            created_at: nowMs,
            first_used_at: nowMs,
          })),
        )
        .execute();
    }
    const keys = [
      { key: adminKey, scope: 'Admin' as const },
      ...readKeys.map((key) => ({ key, scope: 'Read' as const })),
      ...writeKeys.map((key) => ({ key, scope: 'Write' as const })),
    ];
    for (const batch of inBatches(keys)) {
      await trx
        .insertInto('api_keys')
        .values(
          batch.map(({ key, scope }) => ({
            id: makeId('key', nowMs, randomBytes(16)),
            name: 'bench',
            scope,
            hash: hashSecret(key),
            created_at: nowMs,
          })),
        )
        .execute();
    }
  });
  await db.destroy();
  return { devices, readKeys, writeKeys };
}

/** A statement with very many rows takes longer to build than it saves. */
const BATCH = 200;

const inBatches = <T>(rows: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(rows.length / BATCH) }, (_, index) =>
    rows.slice(index * BATCH, (index + 1) * BATCH),
  );
