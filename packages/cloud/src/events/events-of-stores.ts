import type { Repositories } from '../database/cloud-database.ts';
import type { Row } from '../database/schema.ts';

/** Of these groups everybody may read the resources, but a deployment names stores and devices. */
const OPEN_GROUPS: ReadonlySet<string | undefined> = new Set(['content', 'playlist']);
const DEVICE_GROUPS: ReadonlySet<string | undefined> = new Set(['device', 'command']);

/**
 * Whether a person who is bound to these stores is told of the event: of media, playlists, and the devices that are in the stores
 * now. A new type of event is not told until somebody has thought about it.
 */
export async function isEventOfStores(
  { devices }: Pick<Repositories, 'devices'>,
  event: Pick<Row<'events'>, 'type' | 'resource' | 'data'>,
  stores: readonly string[],
): Promise<boolean> {
  const [group] = event.type.split('.');
  if (OPEN_GROUPS.has(group)) {
    return event.type !== 'playlist.deployed';
  }
  if (!DEVICE_GROUPS.has(group)) {
    return false;
  }
  const device = (await devices.find(event.resource)) ?? removedDevice(event.data);
  return stores.some((id) => id === device?.store_id);
}

/** The device of the data of an event. */
const removedDevice = (data: string): { store_id?: unknown } | undefined => JSON.parse(data).device;
