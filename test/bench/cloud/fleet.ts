import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makeId } from '@placard/protocol';
import { hashSecret } from '../../../packages/cloud/src/http-server/secrets.ts';
import { openDatabase } from '../../../packages/cloud/src/database/open-database.ts';
import {
  freePort,
  makeAdminKey,
  startCloudProcess,
} from '../../../packages/cloud/test/trials/support/cloud-process.ts';
import type { CloudProcess } from '../../../packages/cloud/test/trials/support/cloud-process.ts';

export interface Fleet {
  cloud: CloudProcess;
  devices: { id: string; token: string }[];
  /** Keys of scope Read; many, because each has a rate limit. */
  readKeys: string[];
  stop(): Promise<void>;
}

const READ_KEYS = 2_000;
/** Tag of all devices, and tag of the first hundred. */
export const EVERY_TAG = 'every';
export const HUNDRED_TAG = 'hundred';

/** A cloud with this many paired devices. They are written into its database: pairing them would take hours. */
export async function startFleet(count: number): Promise<Fleet> {
  const dataDir = mkdtempSync(join(tmpdir(), 'placard-bench-'));
  const options = { dataDir, port: await freePort(), adminKey: makeAdminKey() };
  const removeData = () => rmSync(dataDir, { recursive: true, force: true });
  try {
    const { devices, readKeys } = await fillDatabase(options, count);
    const cloud = await startCloudProcess(options);
    const stop = async () => {
      await cloud.stop();
      removeData();
    };
    return { cloud, devices, readKeys, stop };
  } catch (error) {
    removeData();
    throw error;
  }
}

async function fillDatabase(
  { dataDir, adminKey }: { dataDir: string; adminKey: string },
  count: number,
): Promise<Pick<Fleet, 'devices' | 'readKeys'>> {
  const nowMs = Date.now();
  const devices = Array.from({ length: count }, () => ({
    id: makeId('device', nowMs, randomBytes(16)),
    token: `pld_${randomBytes(32).toString('base64url')}`,
  }));
  const readKeys = Array.from({ length: READ_KEYS }, makeAdminKey);
  const db = await openDatabase(dataDir);
  await db.transaction().execute(async (trx) => {
    for (const [index, { id, token }] of devices.entries()) {
      await trx
        .insertInto('devices')
        .values({
          id,
          name: `Screen ${index}`,
          type: 'media_player',
          platform: 'linux',
          serial: `SN-${index}`,
          orientation: 'landscape',
          fit: 'contain',
          ground: 'black',
          fade_ms: 0,
          language: 'en',
          status: 'offline',
          told_status: 'offline',
          player_version: '0.1.0',
          manifest_revision: '',
          created_at: nowMs,
          updated_at: nowMs,
        })
        .execute();
      await trx
        .insertInto('device_tokens')
        .values({ hash: hashSecret(token), device_id: id, created_at: nowMs, first_used_at: nowMs })
        .execute();
      const tags = index < 100 ? [EVERY_TAG, HUNDRED_TAG] : [EVERY_TAG];
      await trx
        .insertInto('device_tags')
        .values(tags.map((tag, position) => ({ device_id: id, tag, position })))
        .execute();
    }
    for (const key of [adminKey, ...readKeys]) {
      await trx
        .insertInto('api_keys')
        .values({
          id: makeId('key', nowMs, randomBytes(16)),
          name: 'bench',
          scope: key === adminKey ? 'Admin' : 'Read',
          hash: hashSecret(key),
          created_at: nowMs,
        })
        .execute();
    }
  });
  await db.destroy();
  return { devices, readKeys };
}
