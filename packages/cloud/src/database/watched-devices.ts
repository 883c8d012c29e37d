import type { AlertFilter } from '@placard/protocol/api';
import { sql } from 'kysely';
import type { Expression, RawBuilder, SqlBool } from 'kysely';
import type { Db } from './db.ts';
import { deviceConditions } from './device-list.ts';
import type { DeviceFilter, DeviceListQuery } from './device-list.ts';
import { engineOf } from './engine/engine-of.ts';
import { partOf } from './list-part.ts';
import { containsText, queryInBatches, slicesOf, whereAll } from './paging.ts';
import type { Page } from './paging.ts';
import type { Row } from './schema.ts';

/** What alerts need to know of a device. */
export type WatchedDevice = Pick<Row<'devices'>, 'id' | 'store_id' | 'status' | 'created_at'> &
  Pick<Row<'device_live'>, 'last_seen' | 'last_heartbeat' | 'applied_manifest_revision'>;

/** With what it has last reported. */
export interface OnlineDevice
  extends
    WatchedDevice,
    Pick<Row<'devices'>, 'screenshot_interval_minutes'>,
    Pick<Row<'device_live'>, 'latest_sample' | 'storage' | 'current' | 'clock_offset_ms'> {
  /** What its newest pictures look like, as in `screenshots`; null also when that was not asked for. */
  measures: string | null;
  /** For each of the filters that were asked: `1` if it finds the device, otherwise `0`. */
  found_by: string;
}

const WATCHED = sql.raw(
  'id, store_id, status, created_at, last_seen, last_heartbeat, applied_manifest_revision',
);
const STORES_PER_QUERY = 500;
const FAULTS_PER_QUERY = 500;

/** The condition that the filter finds the device of a row that is read anyway: with look-ups for this device alone. */
function findsRow(
  db: Db,
  { store_id, tag, search, country, region, city }: AlertFilter,
): Expression<SqlBool> {
  const places = Object.entries({ country, region, city }).flatMap(([column, text]) =>
    text === undefined ? [] : [engineOf(db).equalsIgnoringCase(`stores.${column}`, text.toLowerCase())],
  );
  return whereAll<'devices'>({
    equal: { store_id },
    and: [
      ...containsText(db, 'name', search),
      ...(tag === undefined
        ? []
        : [
            sql<SqlBool>`exists (select 1 from device_tags where device_tags.device_id = devices.id and device_tags.tag = ${tag})`,
          ]),
      ...(places.length === 0
        ? []
        : [
            sql<SqlBool>`exists (select 1 from stores where stores.id = devices.store_id and ${sql.join(places, sql` and `)})`,
          ]),
    ],
  });
}

/** What rules for alerts read of devices. */
export function watchedDeviceRepository(db: Db) {
  /** How many devices there are in each of the stores; those of none are left out. */
  const countByStore = async (
    storeIds: readonly string[],
    conditions: readonly ReturnType<typeof whereAll>[],
  ) => {
    const counts = new Map<string, number>();
    for (const slice of slicesOf(storeIds, STORES_PER_QUERY)) {
      const { rows } = await sql<{ store_id: string; n: number }>`select store_id, count(*) as n from devices
        join device_live on device_live.device = devices.number
        where store_id in (${sql.join(slice)}) and ${sql.join(conditions, sql` and `)} group by store_id`.execute(
        db,
      );
      for (const { store_id, n } of rows) {
        counts.set(store_id, n);
      }
    }
    return counts;
  };
  const filtered = (filter: DeviceFilter) => whereAll(deviceConditions(db, filter));

  /** A part of the list of devices; the query has a cursor. */
  const list = async <T extends WatchedDevice>(
    query: DeviceListQuery,
    columns: RawBuilder<unknown>,
  ): Promise<Page<T>> => {
    const { equal, and } = deviceConditions(db, query);
    const part = partOf(db, 'devices', query);
    const { rows } = await sql<T>`select ${columns} from devices
      join device_live on device_live.device = devices.number
      where ${whereAll({ equal, and: [...and, ...part.and] })} ${part.orderBy} ${part.range}`.execute(db);
    return { ...part.cut(rows), total: null };
  };

  return {
    list: (query: DeviceListQuery) => list<WatchedDevice>(query, WATCHED),
    /** A part of all online devices, with the filters that find each: they are read once, however many filters there are. */
    listOnline(
      filters: readonly AlertFilter[],
      withMeasures: boolean,
      part: Pick<DeviceListQuery, 'cursor' | 'limit'>,
    ): Promise<Page<OnlineDevice>> {
      const found = filters.map((filter) => sql`case when ${findsRow(db, filter)} then '1' else '0' end`);
      const measures = withMeasures
        ? sql`(select measures from screenshots where screenshots.device_id = devices.id)`
        : sql`null`;
      return list<OnlineDevice>(
        { ...part, page: 1, status: 'online' },
        sql`${WATCHED}, screenshot_interval_minutes, latest_sample, storage, current, clock_offset_ms, ${measures} as measures, ${sql.join(found, sql` || `)} as found_by`,
      );
    },
    /**
     * Those of the next devices that report the fault now, or any, that the filter finds, in the order of their numbers;
     * `last` is the number to go on after, null at the end.
     */
    async withFault(
      filter: DeviceFilter,
      code: string | null,
      after: number,
    ): Promise<{ devices: WatchedDevice[]; last: number | null }> {
      const ofCode = code === null ? sql`` : sql`code = ${code} and`;
      const { rows } = await sql<{ device: number }>`select distinct device from device_faults
        where ${ofCode} device > ${after} order by device limit ${FAULTS_PER_QUERY}`.execute(db);
      const last = rows.at(-1);
      if (!last) {
        return { devices: [], last: null };
      }
      const { rows: devices } = await sql<WatchedDevice>`select ${WATCHED} from devices
        join device_live on device_live.device = devices.number
        where number in (${sql.join(rows.map(({ device }) => device))}) and ${filtered(filter)}`.execute(db);
      return { devices, last: rows.length < FAULTS_PER_QUERY ? null : last.device };
    },
    /** Those of the devices that the filter finds. */
    find: (ids: readonly string[], filter: DeviceFilter = {}): Promise<WatchedDevice[]> =>
      queryInBatches(
        ids,
        async (slice) =>
          (
            await sql<WatchedDevice>`select ${WATCHED} from devices
              join device_live on device_live.device = devices.number
              where id in (${sql.join(slice)}) and ${filtered(filter)}`.execute(db)
          ).rows,
      ),
    /** Each version of the player that a device has. */
    async versions(): Promise<string[]> {
      const { rows } = await sql<{ version: string }>`with recursive versions (version) as (
        select min(player_version) from devices
        union all
        select (select min(player_version) from devices where player_version > version) from versions
        where version is not null)
        select version from versions where version is not null`.execute(db);
      return rows.map(({ version }) => version);
    },
    countByStore: (filter: DeviceFilter, storeIds: readonly string[]) =>
      countByStore(storeIds, [filtered(filter)]),
    /** Those that send no pictures of their own accord, given what the organization says of it. */
    async countWithoutPictures(
      filter: DeviceFilter,
      {
        screenshots_allowed: allowed,
        screenshot_interval_minutes: minutes,
      }: Pick<Row<'organization'>, 'screenshots_allowed' | 'screenshot_interval_minutes'>,
    ): Promise<number> {
      const sendsNone =
        allowed === 0
          ? sql`1 = 1`
          : sql`(screenshots_allowed = 0 or coalesce(screenshot_interval_minutes, ${minutes ?? 0}) = 0)`;
      const { rows } = await sql<{ n: number }>`select count(*) as n from devices
        where ${filtered(filter)} and ${sendsNone}`.execute(db);
      return rows[0]?.n ?? 0;
    },
    /** Those that count as online, and from which nothing was received since the timestamp. */
    countSilentByStore: (filter: DeviceFilter, storeIds: readonly string[], beforeMs: number) =>
      countByStore(storeIds, [
        filtered({ ...filter, status: 'online' }),
        sql<SqlBool>`last_seen <= ${beforeMs}`,
      ]),
  };
}
