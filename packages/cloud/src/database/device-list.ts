import { sql } from 'kysely';
import type { Expression, SqlBool } from 'kysely';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';
import { offsetOf, partOf } from './list-part.ts';
import type { ListQuery } from './list-part.ts';
import { containsText, countRows, queryInBatches, whereAll, isOneOf } from './paging.ts';
import type { ListConditions, Page } from './paging.ts';
import type { Row } from './schema.ts';
import { tagTable } from './tags.ts';

export interface DeviceFilter {
  status?: 'online' | 'offline' | undefined;
  store_id?: string | undefined;
  tag?: string | undefined;
  search?: string | undefined;
  player_version?: string | undefined;
  /** Code of a fault that the device has reported and not cleared. */
  fault?: string | undefined;
  /** Of its store, in any case. */
  country?: string | undefined;
  region?: string | undefined;
  city?: string | undefined;
  /** Only devices of these stores. */
  stores?: readonly string[] | undefined;
}

export interface DeviceListQuery extends ListQuery, DeviceFilter {}

/** What lists show. */
export type ListedDevice = Pick<Row<'devices'>, (typeof LISTED_COLUMNS)[number]> &
  Pick<Row<'device_live'>, 'last_heartbeat'> & { tags: string[] };

/** A device with the revision that it has reported, and the cursor of the list after it. */
export interface AppliedRevision {
  id: string;
  revision: string | null;
  cursor: string;
}

export const LISTED_COLUMNS = [
  'id',
  'name',
  'status',
  'type',
  'platform',
  'store_id',
  'player_version',
  'orientation',
  'created_at',
  'updated_at',
] as const;
/** Devices of which only the ids are read. */
const FOUND_AT_ONCE = 1000;
const LISTED = sql.join(LISTED_COLUMNS.map((column) => sql.ref(column)));

/** The condition that the store of a device is in a place; none without one. */
function storeIsIn(db: Db, { country, region, city }: DeviceFilter): Expression<SqlBool>[] {
  const conditions = Object.entries({ country, region, city }).flatMap(([column, text]) =>
    text === undefined ? [] : [engineOf(db).equalsIgnoringCase(column, text.toLowerCase())],
  );
  return conditions.length === 0
    ? []
    : [sql`store_id in (select id from stores where ${sql.join(conditions, sql` and `)})`];
}

interface DeviceConditions extends Required<ListConditions<'devices'>> {
  /** The filters that there are. */
  filters: readonly string[];
}

export function deviceConditions(db: Db, filter: DeviceFilter): DeviceConditions {
  const { status, store_id, tag, search, player_version, fault, country, region, city, stores } = filter;
  return {
    filters: Object.entries({
      status,
      store_id,
      tag,
      search,
      player_version,
      fault,
      country,
      region,
      city,
      stores,
    }).flatMap(([name, value]) => (value === undefined ? [] : [name])),
    equal: { status, store_id, player_version },
    and: [
      ...tagTable(db, 'device_tags').having(tag),
      ...(fault === undefined
        ? []
        : [sql<SqlBool>`number in (select device from device_faults where code = ${fault})`]),
      ...containsText(db, 'name', search),
      ...storeIsIn(db, filter),
      ...isOneOf('store_id', stores),
    ],
  };
}

type ListedRow = Omit<ListedDevice, 'tags'> & { tags: string };
const withTags = (rows: readonly ListedRow[]): ListedDevice[] =>
  rows.map((row) => ({ ...row, tags: JSON.parse(row.tags) }));

export async function listDevices(db: Db, query: DeviceListQuery): Promise<Page<ListedDevice>> {
  const { equal, and } = deviceConditions(db, query);
  const part = partOf(db, 'devices', query);
  const total = part.isCounted ? await countMatching(db, query) : null;
  // Without matches the devices are read only once.
  if (total !== null && total <= offsetOf(query)) {
    return { rows: [], total, nextCursor: null };
  }
  // The page first: the rows before it are skipped without reading anything else of them, and SQLite sorts no page again.
  const page = sql`select ${LISTED}, number from devices where ${whereAll({ equal, and: [...and, ...part.and] })}
    ${part.orderBy} ${part.range}`;
  const { rows } = await sql<ListedRow>`
    select ${LISTED}, last_heartbeat, ${tagTable(db, 'device_tags').json} as tags from (${page}) as devices
    join device_live on device_live.device = devices.number ${part.orderBy}`.execute(db);
  return { ...part.cut(withTags(rows)), total };
}

/** How many devices the filter finds: without reading them, unless there are several filters or it is one of the rare ones. */
export async function countMatching(db: Db, filter: DeviceFilter): Promise<number> {
  const { filters, equal, and } = deviceConditions(db, filter);
  switch (filters.join(' ')) {
    case '':
      return countDevices(db);
    case 'tag': {
      const { rows } = await sql<
        Pick<Row<'tag_counts'>, 'devices'>
      >`select devices from tag_counts where tag = ${filter.tag}`.execute(db);
      return rows[0]?.devices ?? 0;
    }
    case 'fault':
      return countRows(db, 'device_faults', { equal: { code: filter.fault } });
    default:
      return countRows(db, 'devices', { equal, and });
  }
}

/** The devices that the filter finds, which has no tag; awaits `yieldIfLong` in between. */
export async function findMatching(
  db: Db,
  filter: Omit<DeviceFilter, 'tag'>,
  yieldIfLong: () => Promise<void>,
): Promise<Set<string>> {
  const found = new Set<string>();
  // As a value: as a condition it is looked up in an index, and what that finds is sorted anew for each part.
  const matches = sql`case when ${whereAll(deviceConditions(db, filter))} then 1 else 0 end`;
  let rows: { id: string; number: number; matches: number }[] = [];
  do {
    ({ rows } = await sql<(typeof rows)[number]>`select id, number, ${matches} as matches from devices
      where number > ${rows.at(-1)?.number ?? 0} order by number limit ${FOUND_AT_ONCE}`.execute(db));
    for (const row of rows) {
      if (row.matches === 1) {
        found.add(row.id);
      }
    }
    await yieldIfLong();
  } while (rows.length === FOUND_AT_ONCE);
  return found;
}

export async function countDevices(db: Db): Promise<number> {
  const { rows } = await sql<Row<'device_count'>>`select devices from device_count`.execute(db);
  return rows[0]?.devices ?? 0;
}

/** These devices as lists show them, in the order of the ids. */
export async function findListed(db: Db, ids: readonly string[]): Promise<ListedDevice[]> {
  const rows = await queryInBatches(
    ids,
    async (slice) =>
      (
        await sql<ListedRow>`select ${LISTED}, last_heartbeat, ${tagTable(db, 'device_tags').json} as tags from devices
          join device_live on device_live.device = devices.number where id in (${sql.join(slice)})`.execute(
          db,
        )
      ).rows,
  );
  const found = new Map(withTags(rows).map((row) => [row.id, row]));
  return ids.flatMap((id) => found.get(id) ?? []);
}

/** The revisions that the devices of one part of a list have reported, in its order. The query has a cursor. */
export async function listApplied(
  db: Db,
  query: DeviceListQuery,
): Promise<{ rows: AppliedRevision[]; nextCursor: string | null }> {
  const { equal, and } = deviceConditions(db, query);
  const part = partOf(db, 'devices', query);
  const { rows } = await sql<
    Pick<ListedDevice, 'id' | 'name' | 'created_at' | 'updated_at'> & { revision: string | null }
  >`select id, name, created_at, updated_at, applied_manifest_revision as revision from devices
    join device_live on device_live.device = devices.number
    where ${whereAll({ equal, and: [...and, ...part.and] })} ${part.orderBy} ${part.range}`.execute(db);
  const { rows: listed, nextCursor } = part.cut(rows);
  return {
    rows: listed.map((row) => ({ id: row.id, revision: row.revision, cursor: part.cursorAfter(row) })),
    nextCursor,
  };
}
