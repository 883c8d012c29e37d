import type Sqlite from 'better-sqlite3';
import { z } from 'zod';
import type { ManifestDevice } from '../domain/manifest-builder.ts';
import { toManifestDevice } from './devices.ts';
import { prepareOnce } from './prepare-once.ts';
import type { Row } from './schema.ts';

export type Presence = Pick<Row<'devices'>, 'number' | 'status' | 'told_status' | 'player_version'> &
  Pick<Row<'device_live'>, 'last_seen'>;

/** What is read of each device that connects, as of the last commit. */
export interface ConnectingDevices {
  /** Whether there are commands that the device has not acknowledged and may still run. */
  hasPendingCommands: (deviceId: string, nowMs: number) => boolean | Promise<boolean>;
  findPresence: (deviceId: string) => Presence | undefined | Promise<Presence | undefined>;
  /** Those that exist. */
  findManifestDevices: (
    deviceIds: readonly string[],
  ) => readonly ManifestDevice[] | Promise<readonly ManifestDevice[]>;
}

type ManifestDeviceRow = Omit<Parameters<typeof toManifestDevice>[0], 'tags'> & { tags: string };
const tagList = z.array(z.string());

/**
 * After a restart of the cloud all devices connect at once. A statement takes 5 to 10 µs, and one that Kysely builds 40 to 90.
 * `reader` must not be in a transaction.
 */
export function createConnectingDevices(reader: Sqlite.Database): ConnectingDevices {
  const readCommand = prepareOnce<[string, number]>(
    reader,
    `select 1 from commands where device_id = ? and status in ('queued', 'delivered') and expires_at > ? limit 1`,
  );
  const readPresence = prepareOnce<[string], Presence>(
    reader,
    `select number, status, told_status, player_version, last_seen from devices
     join device_live on device_live.device = devices.number where id = ?`,
  );
  const readManifestDevice = prepareOnce<[string], ManifestDeviceRow>(
    reader,
    `select id, name, orientation, fit, ground, fade_ms, language, menu_pin_hash, screenshots_allowed,
       screenshot_interval_minutes, store_id, decoders,
       (select json_group_array(tag order by position) from device_tags where device_id = devices.id) as tags
     from devices where id = ?`,
  );
  return {
    hasPendingCommands: (deviceId, nowMs) => readCommand.get(deviceId, nowMs) !== undefined,
    findPresence: (deviceId) => readPresence.get(deviceId),
    findManifestDevices: (deviceIds) =>
      deviceIds.flatMap((id) => {
        const row = readManifestDevice.get(id);
        return row ? [toManifestDevice({ ...row, tags: tagList.parse(JSON.parse(row.tags)) })] : [];
      }),
  };
}

/** When something was received from the device with this number. */
export interface SeenDevice {
  number: number;
  seenMs: number;
}

/** Returns a function that stores when devices that are online were last seen, and returns the others. */
export function createSeenDevices(writer: Sqlite.Database) {
  const update = prepareOnce(
    writer,
    `update device_live set last_seen = max(ifnull(last_seen, 0), ?),
       last_seen_indexed = max(ifnull(last_seen, 0), ?) where device = ? and online = 1`,
  );

  /** Runs in a transaction of the connection. */
  return <T extends SeenDevice>(seen: readonly T[]): T[] =>
    seen.filter(({ number, seenMs }) => update.run(seenMs, seenMs, number).changes === 0);
}
