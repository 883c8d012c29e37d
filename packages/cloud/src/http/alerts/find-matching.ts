import { FIRST_CURSOR } from '@placard/protocol/api';
import type { AlertCondition, AlertFilter } from '@placard/protocol/api';
import type { CloudDatabase } from '../../database/cloud-database.ts';
import type { DeviceFilter } from '../../database/device-list.ts';
import type { WatchedDevice } from '../../database/watched-devices.ts';
import { createYieldIfLong } from '../../event-loop/yield-if-long.ts';

/** Devices that are read at once. */
const READ_AT_ONCE = 200;
/** As people sort versions: 1.10 is newer than 1.9. */
const VERSION_ORDER = new Intl.Collator('en', { numeric: true });

/** A device that meets a condition now. */
export interface FoundDevice {
  device: WatchedDevice;
  /** Something that says, when it changes, that the device has not been in this state all the time. */
  detail: string | null;
}

type Source = Pick<CloudDatabase, 'watchedDevices' | 'manifests' | 'manifestBuilder' | 'manifestRevisionOf'>;

/** The devices that the filter finds and that meet the condition now, whatever it says of minutes. */
export async function findMatching(
  database: Source,
  condition: AlertCondition,
  filter: AlertFilter,
): Promise<FoundDevice[]> {
  if (condition.type === 'offline') {
    return asFound(await collect(listAll(database, { ...filter, status: 'offline' })));
  }
  if (condition.type === 'fault') {
    return asFound(await collect(listWithFault(database, filter, condition.code)));
  }
  return condition.type === 'behind'
    ? collect(listBehind(database, filter))
    : findOlder(database, filter, condition.version);
}

const asFound = (devices: readonly WatchedDevice[]): FoundDevice[] =>
  devices.map((device) => ({ device, detail: null }));

/** All that the parts have; yields to the event loop in between. */
async function collect<T>(parts: AsyncIterable<readonly T[]>): Promise<T[]> {
  const yieldIfLong = createYieldIfLong();
  const all: T[] = [];
  for await (const part of parts) {
    all.push(...part);
    await yieldIfLong();
  }
  return all;
}

async function* listAll({ watchedDevices }: Source, filter: DeviceFilter): AsyncGenerator<WatchedDevice[]> {
  for (let cursor: string | null = FIRST_CURSOR; cursor !== null;) {
    const page = await watchedDevices.list({ ...filter, cursor, page: 1, limit: READ_AT_ONCE });
    yield page.rows;
    cursor = page.nextCursor;
  }
}

async function* listWithFault(
  { watchedDevices }: Source,
  filter: DeviceFilter,
  code: string | null,
): AsyncGenerator<WatchedDevice[]> {
  for (let after: number | null = 0; after !== null;) {
    const found: Awaited<ReturnType<typeof watchedDevices.withFault>> = await watchedDevices.withFault(
      filter,
      code,
      after,
    );
    yield found.devices;
    after = found.last;
  }
}

/** Online devices that do not show the manifest that they should. */
async function* listBehind(database: Source, filter: DeviceFilter): AsyncGenerator<FoundDevice[]> {
  // With what other nodes have changed.
  await database.manifestBuilder();
  for await (const devices of listAll(database, { ...filter, status: 'online' })) {
    await database.manifests.readDevices(devices.map(({ id }) => id));
    const behind = [];
    for (const device of devices) {
      const applied = device.applied_manifest_revision;
      const target =
        database.manifests.derive(device.id)?.revision ?? (await database.manifestRevisionOf(device.id));
      if (target !== null && target !== applied) {
        behind.push({ device, detail: applied });
      }
    }
    yield behind;
  }
}

async function findOlder(database: Source, filter: DeviceFilter, version: string): Promise<FoundDevice[]> {
  const versions = await database.watchedDevices.versions();
  const found = [];
  for (const older of versions.filter((each) => VERSION_ORDER.compare(each, version) < 0)) {
    found.push(...asFound(await collect(listAll(database, { ...filter, player_version: older }))));
  }
  return found;
}
