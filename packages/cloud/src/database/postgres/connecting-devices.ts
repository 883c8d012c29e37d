import { sql } from 'kysely';
import type { ConnectingDevices, Presence, SeenDevice } from '../connecting-devices.ts';
import type { Db } from '../db.ts';
import { deviceRepository } from '../devices.ts';
import { givenRows } from './given-rows.ts';
import { createLookUp } from './look-up.ts';

/** After a restart of the cloud all devices connect at once: one statement reads what is needed of many. */
export function createConnectingDevices(db: Db): ConnectingDevices {
  const findLastExpiry = createLookUp(async (ids) => {
    const { rows } = await sql<{ device_id: string; last: number }>`
      select device_id, max(expires_at) as last from commands
      where device_id = any(${ids}) and status in ('queued', 'delivered') group by device_id`.execute(db);
    return new Map(rows.map(({ device_id, last }) => [device_id, last]));
  });
  const findManifestDevice = createLookUp(async (ids) => {
    const devices = await deviceRepository(db).findManifestDevices(ids);
    return new Map(devices.map((device) => [device.id, device]));
  });
  return {
    hasPendingCommands: async (deviceId, nowMs) => ((await findLastExpiry(deviceId)) ?? nowMs) > nowMs,
    findPresence: createLookUp(async (ids) => {
      const { rows } = await sql<Presence & { id: string }>`
        select id, number, status, told_status, player_version, last_seen from devices
        join device_live on device_live.device = devices.number where id = any(${ids})`.execute(db);
      return new Map(rows.map(({ id, ...presence }) => [id, presence]));
    }),
    async findManifestDevices(ids) {
      const found = await Promise.all(ids.map(findManifestDevice));
      return found.filter((device) => device !== undefined);
    },
  };
}

/**
 * Stores when devices that are online were last seen, and returns the others, with those that a transaction is about to
 * change: it does not wait for them.
 */
export async function recordSeen<T extends SeenDevice>(db: Db, seen: readonly T[]): Promise<T[]> {
  const given = givenRows(
    seen.map(({ number, seenMs }) => ({ number, seen_ms: seenMs })),
    { number: 'bigint', seen_ms: 'bigint' },
  );
  const { rows } = await sql<{ device: number }>`
    with online as (
      select device, seen_ms from device_live
      join (select number, max(seen_ms) as seen_ms from ${given} group by number) as latest
        on latest.number = device_live.device
      where online = 1 for update of device_live skip locked)
    update device_live set last_seen = greatest(last_seen, seen_ms) from online
    where device_live.device = online.device returning device_live.device`.execute(db);
  const recorded = new Set(rows.map(({ device }) => device));
  return seen.filter(({ number }) => !recorded.has(number));
}
