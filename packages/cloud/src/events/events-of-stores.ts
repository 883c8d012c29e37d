import type { Alert } from '@placard/protocol/api';
import type { Repositories } from '../database/cloud-database.ts';
import type { Row } from '../database/schema.ts';

/** Of these groups everybody may read the resources, but a deployment names stores and devices. */
const OPEN_GROUPS: ReadonlySet<string | undefined> = new Set(['content', 'playlist']);
const DEVICE_GROUPS: ReadonlySet<string | undefined> = new Set(['device', 'command']);

/**
 * Whether a person who is bound to these stores is told of the event: of media, playlists, the devices that are in the stores
 * now, and alerts about these or the stores. A new type of event is not told until somebody has thought about it.
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
  const concerned = await storeOf(devices, group, event);
  return stores.some((id) => id === concerned);
}

/** The store that an event concerns and no other: that in which a device is now. */
async function storeOf(
  devices: Repositories['devices'],
  group: string | undefined,
  { resource, data }: Pick<Row<'events'>, 'resource' | 'data'>,
): Promise<unknown> {
  if (group !== 'alert') {
    return DEVICE_GROUPS.has(group) ? ((await devices.find(resource)) ?? removedDevice(data))?.store_id : null;
  }
  const { type, id } = subjectOf(data);
  if (type === 'device' && id !== null) {
    return (await devices.find(id))?.store_id;
  }
  // As they can be read: none about devices of any store.
  return type === 'store' ? id : null;
}

/** What the alert of the data of an event is about. */
const subjectOf = (data: string): Alert['subject'] => JSON.parse(data).alert.subject;

/** The device of the data of an event. */
const removedDevice = (data: string): { store_id?: unknown } | undefined => JSON.parse(data).device;
