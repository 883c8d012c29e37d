import type { Alert } from '@placard/protocol/api';
import type { Repositories } from '../database/cloud-database.ts';
import type { Row } from '../database/schema.ts';

/** Of these groups everybody may read the resources, but a deployment names stores and devices. */
const OPEN_GROUPS: ReadonlySet<string | undefined> = new Set(['content', 'playlist']);
const DEVICE_GROUPS: ReadonlySet<string | undefined> = new Set(['device', 'command']);
const ALERT_TYPES: ReadonlySet<string> = new Set(['alert.opened', 'alert.resolved']);

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
  const concerned = await storeOf(devices, event);
  return stores.some((id) => id === concerned);
}

/** The store that an event concerns and no other: that in which a device is now. */
async function storeOf(
  devices: Repositories['devices'],
  { type, resource, data }: Pick<Row<'events'>, 'type' | 'resource' | 'data'>,
): Promise<unknown> {
  if (DEVICE_GROUPS.has(type.split('.')[0])) {
    return ((await devices.find(resource)) ?? removedDevice(data))?.store_id;
  }
  const subject = ALERT_TYPES.has(type) ? subjectOf(data) : undefined;
  if (subject?.type === 'device' && subject.id !== null) {
    return (await devices.find(subject.id))?.store_id;
  }
  // As they can be read: none about devices of any store.
  return subject?.type === 'store' ? subject.id : null;
}

/** What the alert of the data of an event is about. */
const subjectOf = (data: string): Alert['subject'] | undefined => JSON.parse(data).alert?.subject;

/** The device of the data of an event. */
const removedDevice = (data: string): { store_id?: unknown } | undefined => JSON.parse(data).device;
