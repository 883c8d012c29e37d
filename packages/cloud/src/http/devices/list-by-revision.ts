import { FIRST_CURSOR } from '@placard/protocol/api';
import type { CloudDatabase } from '../../database/cloud-database.ts';
import type { DeviceListQuery, ListedDevice } from '../../database/device-list.ts';
import type { Page } from '../../database/paging.ts';
import { createYieldIfLong } from '../../event-loop/yield-if-long.ts';

/** Revisions that are compared for one answer: deriving them takes 4 µs each, reading the devices for it 5 to 10. */
const MAX_COMPARED = 5_000;
/** Devices that are read at once. */
const READ_AT_ONCE = 200;

type Source = Pick<CloudDatabase, 'devices' | 'manifests' | 'manifestBuilder' | 'manifestRevisionOf'>;

/**
 * The next devices of a list that show the manifest that they should, or those that do not. Revisions are derived and not
 * stored, so they are looked for one by one, and there may be more of them when none was found.
 */
export async function listByRevision(
  database: Source,
  query: DeviceListQuery,
  wanted: 'current' | 'behind',
): Promise<Page<ListedDevice>> {
  // With what other nodes have changed.
  await database.manifestBuilder();
  const yieldIfLong = createYieldIfLong();
  const found: string[] = [];
  let cursor: string | null = query.cursor ?? FIRST_CURSOR;
  for (let compared = 0; cursor !== null && compared < MAX_COMPARED && found.length < query.limit;) {
    const part = await database.devices.listApplied({ ...query, cursor, limit: READ_AT_ONCE });
    await database.manifests.readDevices(part.rows.map(({ id }) => id));
    cursor = part.nextCursor;
    for (const device of part.rows) {
      compared += 1;
      const revision =
        database.manifests.derive(device.id)?.revision ?? (await database.manifestRevisionOf(device.id));
      // Null when it was removed meanwhile.
      if (revision !== null && (revision === device.revision) === (wanted === 'current')) {
        found.push(device.id);
      }
      if (found.length === query.limit) {
        cursor = device === part.rows.at(-1) ? part.nextCursor : device.cursor;
        break;
      }
    }
    await yieldIfLong();
  }
  return { rows: await database.devices.findListed(found), total: null, nextCursor: cursor };
}
