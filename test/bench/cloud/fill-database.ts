import { randomBytes } from 'node:crypto';
import { DEFAULT_DISPLAY, makeId } from '@placard/protocol';
import type { Db } from '../../../packages/cloud/src/database/db.ts';
import { toDisplayColumns } from '../../../packages/cloud/src/database/devices.ts';
import { rollUpEnd } from '../../../packages/cloud/src/database/sample-roll-up.ts';
import { hashSecret } from '../../../packages/cloud/src/http-server/secrets.ts';

/** What was written into the database of a cloud. */
export interface FilledDatabase {
  devices: { id: string; token: string }[];
  /** Keys of scope Read; many, because each has a rate limit. */
  readKeys: string[];
  /** The same of scope Write. */
  writeKeys: string[];
}

const READ_KEYS = 2_000;
const WRITE_KEYS = 10;
/** Tag of all devices, and tag of the first hundred. */
export const EVERY_TAG = 'every';
export const HUNDRED_TAG = 'hundred';

/** Writes this many paired devices and some keys into a database on either engine: pairing them would take hours. */
export async function fillDatabase(
  db: Db,
  { count, adminKey }: { count: number; adminKey?: string },
): Promise<FilledDatabase> {
  const nowMs = Date.now();
  const devices = Array.from({ length: count }, () => ({
    id: makeId('device', nowMs, randomBytes(16)),
    token: `pld_${randomBytes(32).toString('base64url')}`,
  }));
  const readKeys = Array.from({ length: READ_KEYS }, makeApiKey);
  const writeKeys = Array.from({ length: WRITE_KEYS }, makeApiKey);
  await db.transaction().execute(async (trx) => {
    for (const batch of inBatches([...devices.entries()])) {
      await insertDevices(trx, batch, nowMs);
    }
    const keys = [
      ...(adminKey === undefined ? [] : [{ key: adminKey, scope: 'Admin' as const }]),
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
  return { devices, readKeys, writeKeys };
}

/** Like those that the cloud generates: of keys chosen by a person, 300 new ones a minute are accepted from an address. */
const makeApiKey = (): string => `plk_${randomBytes(32).toString('base64url')}`;

/** In the steady state nearly all are online. */
async function insertDevices(
  trx: Db,
  batch: readonly [number, FilledDatabase['devices'][number]][],
  nowMs: number,
): Promise<void> {
  const live = await trx
    .insertInto('device_live')
    .values(batch.map(() => ({ online: 1, rolled_up_until: rollUpEnd(nowMs) })))
    .returning('device')
    .execute();
  await trx
    .insertInto('devices')
    .values(
      batch.map(([index, { id }], row) => ({
        id,
        name: `Screen ${index}`,
        type: 'media_player' as const,
        platform: 'linux' as const,
        serial: `SN-${index}`,
        store_id: null,
        orientation: 'landscape' as const,
        ...toDisplayColumns(DEFAULT_DISPLAY),
        menu_pin_hash: null,
        status: 'online' as const,
        told_status: 'online' as const,
        player_version: '0.1.0',
        hardware: null,
        number: live[row]!.device,
        created_at: nowMs,
        updated_at: nowMs,
      })),
    )
    .execute();
  await trx
    .insertInto('device_tags')
    .values(
      batch.flatMap(([index, { id }]) =>
        (index < 100 ? [EVERY_TAG, HUNDRED_TAG] : [EVERY_TAG]).map((tag, position) => ({
          device_id: id,
          tag,
          position,
        })),
      ),
    )
    .execute();
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

/** A statement with very many rows takes longer to build than it saves. */
const BATCH = 200;

const inBatches = <T>(rows: readonly T[]): T[][] =>
  Array.from({ length: Math.ceil(rows.length / BATCH) }, (_, index) =>
    rows.slice(index * BATCH, (index + 1) * BATCH),
  );
