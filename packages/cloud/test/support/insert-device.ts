import { DEFAULT_DISPLAY } from '@placard/protocol';
import { deviceRepository, toDisplayColumns } from '../../src/database/devices.ts';
import type { DeviceWithLive } from '../../src/database/devices.ts';
import type { Db } from '../../src/database/db.ts';
import type { NewRow } from '../../src/database/schema.ts';

/** Inserts a device that has not reported anything, created at 0 unless given. */
export async function insertDevice(
  db: Db,
  id: string,
  values: Partial<NewRow<'devices'>> = {},
): Promise<DeviceWithLive> {
  const devices = deviceRepository(db);
  await devices.insert(
    {
      id,
      name: id,
      type: 'pc',
      platform: 'linux',
      serial: id,
      store_id: null,
      orientation: 'landscape',
      ...toDisplayColumns(DEFAULT_DISPLAY),
      menu_pin_hash: null,
      status: 'offline',
      told_status: 'offline',
      player_version: '0',
      hardware: null,
      created_at: 0,
      updated_at: 0,
      ...values,
    },
    [],
  );
  const row = await devices.findRow(id);
  if (!row) {
    throw new Error(`the device ${id} was not stored`);
  }
  return row;
}
