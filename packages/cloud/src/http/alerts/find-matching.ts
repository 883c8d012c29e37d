import type { FaultCode, HeartbeatSample, ReportedState } from '@placard/protocol';
import { FIRST_CURSOR } from '@placard/protocol/api';
import type { AlertCondition, AlertFilter } from '@placard/protocol/api';
import type { CloudDatabase } from '../../database/cloud-database.ts';
import type { DeviceFilter } from '../../database/device-list.ts';
import type { Page } from '../../database/paging.ts';
import type { DeviceWithReadings, WatchedDevice } from '../../database/watched-devices.ts';
import type { SharedPart } from '../../domain/device-classes.ts';
import { createScheduleEvaluator } from '../../domain/schedule-evaluator.ts';
import { createYieldIfLong } from '../../event-loop/yield-if-long.ts';

/** Devices that are read at once. */
const READ_AT_ONCE = 200;
const BYTES_PER_MB = 1_000_000;
/** Fault of a player that can show no item of the playlist that is due. */
const NOTHING_PLAYABLE: FaultCode = 'playback.nothing_playable';
/** As people sort versions: 1.10 is newer than 1.9. */
const VERSION_ORDER = new Intl.Collator('en', { numeric: true });

/** A device that meets a condition now. */
export interface FoundDevice {
  device: WatchedDevice;
  /** Something that says, when it changes, that the device has not been in this state all the time. */
  detail: string | null;
}

type Source = Pick<
  CloudDatabase,
  'watchedDevices' | 'devices' | 'manifests' | 'manifestBuilder' | 'manifestRevisionOf'
>;

/** The devices that the filter finds and that meet the condition now, whatever it says of minutes. */
export async function findMatching(
  database: Source,
  condition: AlertCondition,
  filter: AlertFilter,
  nowMs: number,
): Promise<FoundDevice[]> {
  switch (condition.type) {
    case 'offline':
      return asFound(await collect(listAll(database, { ...filter, status: 'offline' })));
    case 'fault':
      return asFound(await collect(listWithFault(database, filter, condition.code)));
    case 'behind':
      return collect(listBehind(database, filter));
    case 'old_version':
      return findOlder(database, filter, condition.version);
    case 'hot':
      return asFound(await collect(listWithReadings(database, filter, isHot(condition))));
    case 'disk_below':
      return asFound(await collect(listWithReadings(database, filter, hasDiskBelow(condition))));
    case 'nothing_playable':
      return findNothingPlayable(database, filter, nowMs);
    default:
      // Nothing is opened or resolved then.
      throw new Error(`This version does not know the condition ${JSON.stringify(condition)}.`);
  }
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

/** Online devices whose last report the condition is true for. */
async function* listWithReadings(
  { watchedDevices }: Source,
  filter: DeviceFilter,
  isMet: (device: DeviceWithReadings) => boolean,
): AsyncGenerator<DeviceWithReadings[]> {
  for (let cursor: string | null = FIRST_CURSOR; cursor !== null;) {
    const page: Page<DeviceWithReadings> = await watchedDevices.listWithReadings({
      ...filter,
      status: 'online',
      cursor,
      page: 1,
      limit: READ_AT_ONCE,
    });
    yield page.rows.filter(isMet);
    cursor = page.nextCursor;
  }
}

type ConditionOf<Type extends AlertCondition['type']> = Extract<AlertCondition, { type: Type }>;

const sampleOf = ({ latest_sample }: DeviceWithReadings): HeartbeatSample | null =>
  latest_sample === null ? null : JSON.parse(latest_sample);

const isHot =
  ({ celsius }: ConditionOf<'hot'>) =>
  (device: DeviceWithReadings): boolean => {
    const measured = sampleOf(device)?.temperature_celsius ?? null;
    return measured !== null && measured >= celsius;
  };

const hasDiskBelow =
  ({ free, unit }: ConditionOf<'disk_below'>) =>
  (device: DeviceWithReadings): boolean => {
    if (unit === 'percent') {
      const used = sampleOf(device)?.disk_percent ?? null;
      return used !== null && 100 - used < free;
    }
    const storage: ReportedState['storage'] | null =
      device.storage === null ? null : JSON.parse(device.storage);
    const freeBytes = storage?.free_bytes ?? null;
    return freeBytes !== null && freeBytes < free * BYTES_PER_MB;
  };

/** Devices that say so, and those that show nothing although a playlist is due. */
async function findNothingPlayable(
  database: Source,
  filter: DeviceFilter,
  nowMs: number,
): Promise<FoundDevice[]> {
  const found = new Map<string, WatchedDevice>();
  for (const parts of [
    listWithFault(database, filter, NOTHING_PLAYABLE),
    listIdleThoughScheduled(database, filter, nowMs),
  ]) {
    for (const device of await collect(parts)) {
      found.set(device.id, device);
    }
  }
  return asFound([...found.values()]);
}

async function* listIdleThoughScheduled(
  database: Source,
  filter: DeviceFilter,
  nowMs: number,
): AsyncGenerator<WatchedDevice[]> {
  const schedules = createScheduleEvaluator();
  const manifests = await database.manifestBuilder();
  // Devices that are reached alike show the same.
  const isDue = new Map<SharedPart, boolean>();
  for await (const idle of listWithReadings(database, filter, ({ current }) => current === null)) {
    const due = new Set<string>();
    for (const device of await database.devices.findListed(idle.map(({ id }) => id))) {
      const part = manifests.partOf(manifests.classOf(device));
      const known = isDue.get(part) ?? schedules.evaluate(manifests, device, nowMs).playlist_id !== null;
      isDue.set(part, known);
      if (known) {
        due.add(device.id);
      }
    }
    yield idle.filter(({ id }) => due.has(id));
  }
}
