import type { DeviceCounts } from '@placard/protocol/api';
import { sql } from 'kysely';
import type { Db } from './db.ts';
import { isOneOf, whereAll } from './paging.ts';

/** Rows counted in one statement: some milliseconds, in which all other work waits. */
const BATCH_ROWS = 5_000;
const MAX_GROUPS = 100;

interface Group {
  name: string;
  devices: number;
}

/** Which devices are counted. */
export interface CountedDevices {
  /** Ids of stores; undefined for all devices. */
  stores: readonly string[] | undefined;
}

/** How many devices report each fault. */
export async function countFaults(db: Db, { stores }: CountedDevices): Promise<DeviceCounts['faults']> {
  const ofStores =
    stores === undefined
      ? sql``
      : sql`where device in (select number from devices where ${whereAll({ and: isOneOf('store_id', stores) })})`;
  const { rows } = await sql<
    DeviceCounts['faults'][number]
  >`select code, count(*) as devices from device_faults ${ofStores}
    group by code order by count(*) desc, code limit ${MAX_GROUPS}`.execute(db);
  return rows;
}

/** How many devices have each version, and how many are online; in short statements with `yieldTurn` after each. */
export async function countDevicesByVersion(
  db: Db,
  { stores }: CountedDevices,
  yieldTurn: () => Promise<void>,
): Promise<{ versions: DeviceCounts['player_versions']; total: number; online: number }> {
  const versions = new Map<string, number>();
  let [total, online] = [0, 0];
  for (let after: number | null = 0; after !== null;) {
    const { rows } = await sql<
      Group & { online: number; last: number }
    >`select player_version as name, count(*) as devices,
        count(*) filter (where status = 'online') as online, max(number) as last
      from (select number, player_version, status from devices
        where ${whereAll({ and: [sql`number > ${after}`, ...isOneOf('store_id', stores)] })}
        order by number limit ${BATCH_ROWS}) as batch group by player_version`.execute(db);
    let read = 0;
    for (const row of rows) {
      versions.set(row.name, (versions.get(row.name) ?? 0) + row.devices);
      read += row.devices;
      online += row.online;
    }
    total += read;
    after = read < BATCH_ROWS ? null : Math.max(...rows.map(({ last }) => last));
    await yieldTurn();
  }
  return {
    versions: [...versions]
      .map(([player_version, devices]) => ({ player_version, devices }))
      .toSorted((a, b) => b.devices - a.devices)
      .slice(0, MAX_GROUPS),
    total,
    online,
  };
}
