import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { prepareOnce } from '../../../packages/cloud/src/database/prepare-once.ts';
import type { DeviceRow } from '../../../packages/cloud/src/database/devices.ts';
import { presentDevice, presentDeviceDetail } from '../../../packages/cloud/src/http-server/present.ts';

/** As long as a revision; the one of the device is not derived. */
const CONFIGURATION = { timezone: 'UTC', manifestRevision: 'x'.repeat(32) };
const TAGS =
  '(select json_group_array(tag order by position) from device_tags where device_id = devices.id) as tags';
const LISTED = `id, name, status, type, platform, store_id, player_version, orientation, created_at, updated_at,
  last_heartbeat`;
const DEVICES = 'from devices join device_live on device_live.device = devices.number';

type StoredRow = DeviceRow & { tags: string };
const toDevice = (row: StoredRow): DeviceRow => ({ ...row, tags: JSON.parse(row.tags) });

/**
 * The least that a server must do to answer reads: prepared statements that read the same rows of the database of a
 * cloud, and the same mapping to the same JSON. Nothing is checked.
 */
export function openBareReads(dataDir: string) {
  const sqlite = new Sqlite(join(dataDir, 'cloud.sqlite'), { readonly: true });
  // As much as the cloud has.
  sqlite.pragma('cache_size = -16384');
  const one = prepareOnce<[string], StoredRow>(sqlite, `select *, ${TAGS} ${DEVICES} where id = ?`);
  const newest = prepareOnce<[number], StoredRow>(
    sqlite,
    `select ${LISTED}, ${TAGS} ${DEVICES} order by created_at desc, id desc limit ?`,
  );
  const count = sqlite.prepare<[], number>('select devices from device_count').pluck();
  return {
    device: (id: string) => ({
      success: true,
      data: presentDeviceDetail(toDevice(one.get(id)!), CONFIGURATION, null),
    }),
    devices: (limit: number) => ({
      success: true,
      data: newest.all(limit).map((row) => presentDevice(toDevice(row))),
      meta: { page: 1, limit, total: count.get() },
    }),
  };
}
