import { FIRST_CURSOR } from '@placard/protocol/api';
import type { CloudDatabase } from '../../database/cloud-database.ts';
import type { DeviceFilter, DeviceListQuery, ListedDevice } from '../../database/device-list.ts';
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
    const part = await comparePart(database, { ...query, cursor, limit: READ_AT_ONCE });
    cursor = part.nextCursor;
    for (const device of part.rows) {
      compared += 1;
      if (device.state === wanted) {
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

/** How many devices of the list do not show the manifest that they should; all of them are compared, in short turns. */
export const countBehind = async (database: Source, filter: DeviceFilter): Promise<number> =>
  (await findByRevision(database, filter, 'behind')).size;

/** The ids of all devices of the list that show the manifest that they should, or of those that do not, in short turns. */
export async function findByRevision(
  database: Source,
  filter: DeviceFilter,
  wanted: 'current' | 'behind',
): Promise<ReadonlySet<string>> {
  await database.manifestBuilder();
  const yieldIfLong = createYieldIfLong();
  const found = new Set<string>();
  for (let cursor: string | null = FIRST_CURSOR; cursor !== null;) {
    const part = await comparePart(database, { ...filter, cursor, page: 1, limit: READ_AT_ONCE });
    for (const { id, state } of part.rows) {
      if (state === wanted) {
        found.add(id);
      }
    }
    cursor = part.nextCursor;
    await yieldIfLong();
  }
  return found;
}

/** Some devices of a list, and whether they show the manifest that they should; null when one was removed meanwhile. */
async function comparePart(database: Source, query: DeviceListQuery) {
  const { rows, nextCursor } = await database.devices.listApplied(query);
  await database.manifests.readDevices(rows.map(({ id }) => id));
  const compared = [];
  for (const { id, cursor, revision: applied } of rows) {
    const revision = database.manifests.derive(id) ?? (await database.manifestRevisionOf(id));
    const state =
      revision === null ? null : revision === applied ? ('current' as const) : ('behind' as const);
    compared.push({ id, cursor, state });
  }
  return { rows: compared, nextCursor };
}
