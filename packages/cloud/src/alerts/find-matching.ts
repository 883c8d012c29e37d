import type { FaultCode } from '@placard/protocol';
import { FIRST_CURSOR } from '@placard/protocol/api';
import type { CloudDatabase } from '../database/cloud-database.ts';
import type { DeviceFilter } from '../database/device-list.ts';
import type { WatchedDevice } from '../database/watched-devices.ts';
import { isOlderVersion } from '../domain/version-order.ts';
import { createYieldIfLong } from '../event-loop/yield-if-long.ts';
import type { FoundDevice, LookedAtRule } from './look.ts';

/** Devices that are read at once. */
const READ_AT_ONCE = 200;
/** Fault of a player that can show no item of the playlist that is due. */
const NOTHING_PLAYABLE: FaultCode = 'playback.nothing_playable';

type Source = Pick<CloudDatabase, 'watchedDevices'>;

/** The devices that meet the condition of the rule now and are found by an index, besides what `matchOnline` finds. */
export async function findMatching(
  database: Source,
  { condition, filter }: LookedAtRule,
): Promise<FoundDevice[]> {
  switch (condition.type) {
    case 'offline':
      return collect(listAll(database, { ...filter, status: 'offline' }));
    case 'fault':
      return collect(listWithFault(database, filter, condition.code));
    case 'nothing_playable':
      return collect(listWithFault(database, filter, NOTHING_PLAYABLE));
    case 'old_version':
      return findOlder(database, filter, condition.version);
    case 'behind':
    case 'hot':
    case 'disk_below':
    case 'screen_black':
    case 'screen_frozen':
      return [];
    default:
      // Nothing is opened or resolved then.
      throw new Error(`This version does not know the condition ${JSON.stringify(condition)}.`);
  }
}

/** All that the parts have; yields to the event loop in between. */
async function collect(parts: AsyncIterable<readonly WatchedDevice[]>): Promise<FoundDevice[]> {
  const yieldIfLong = createYieldIfLong();
  const all: FoundDevice[] = [];
  for await (const part of parts) {
    all.push(...part.map((device) => ({ device, detail: null })));
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

async function findOlder(database: Source, filter: DeviceFilter, version: string): Promise<FoundDevice[]> {
  const versions = await database.watchedDevices.versions();
  const found = [];
  for (const older of versions.filter((each) => isOlderVersion(each, version))) {
    found.push(...(await collect(listAll(database, { ...filter, player_version: older }))));
  }
  return found;
}
