import type { DisplaySettings } from '@placard/protocol';
import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import { targetKey } from '@placard/schedule';
import type { Target } from '@placard/schedule';
import type { ManifestDevice } from '../domain/manifest-builder.ts';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';
import { countDevicesByVersion, countFaults } from './device-counts.ts';
import type { CountedDevices } from './device-counts.ts';
import { countDevices, findListed, findMatching, listApplied, listDevices } from './device-list.ts';
import type { DeviceFilter, DeviceListQuery, ListedDevice } from './device-list.ts';
import { findNames, isOneOf, queryInBatches, slicesOf, whereAll } from './paging.ts';
import { rollUpEnd } from './sample-roll-up.ts';
import type { Page } from './paging.ts';
import type { NewRow, Row, RowChange } from './schema.ts';
import { indexedWith, mayBeSilentSince } from './silent-devices.ts';
import { tagTable } from './tags.ts';
import { devicesOfStores } from './targets-of-stores.ts';

type LiveRow = Row<'device_live'>;
/** A device with its live state, without tags. */
export type DeviceWithLive = Row<'devices'> & LiveRow;
export type DeviceRow = DeviceWithLive & { tags: string[] };
/** Columns of the live state that messages of the device change. */
export type LiveChange = Omit<
  RowChange<'device_live'>,
  'device' | 'online' | 'rolled_up_until' | 'last_seen_indexed'
>;
const BATCH_ROWS = 1000;

const MANIFEST_DEVICE_COLUMNS = [
  'id',
  'name',
  'orientation',
  'fit',
  'ground',
  'fade_ms',
  'language',
  'menu_pin_hash',
  'screenshots_allowed',
  'screenshot_interval_minutes',
  'decoders',
  'store_id',
] as const;

/** Display settings of the device; the column of `background` is `ground`. */
export const toDisplaySettings = (
  row: Pick<DeviceRow, 'fit' | 'ground' | 'fade_ms' | 'language'>,
): DisplaySettings => ({
  fit: row.fit,
  background: row.ground,
  fade_ms: row.fade_ms,
  language: row.language,
});

export const toDisplayColumns = <B, T extends object>({ background, ...others }: T & { background: B }) => ({
  ...others,
  ground: background,
});

/** What manifests need of the device. */
export const toManifestDevice = (
  row: Pick<DeviceRow, (typeof MANIFEST_DEVICE_COLUMNS)[number] | 'tags'>,
): ManifestDevice => ({
  id: row.id,
  name: row.name,
  orientation: row.orientation,
  display: toDisplaySettings(row),
  menu_pin_hash: row.menu_pin_hash,
  screenshots_allowed: row.screenshots_allowed === 1,
  screenshot_interval_minutes: row.screenshot_interval_minutes,
  decoders: row.decoders,
  store_id: row.store_id,
  tags: row.tags,
});

export function deviceRepository(db: Db) {
  const tagged = tagTable(db, 'device_tags');
  /** Devices that the target reaches, in the order of rows, which the indexes have. */
  const reachedBy = async (target: Target, after: number, limit: number, stores?: readonly string[]) => {
    if (target.type === 'device' && stores === undefined) {
      return [{ id: target.id, rowid: 0 }];
    }
    if (target.type === 'all') {
      const { rows } = await sql<{ id: string; rowid: number }>`select id, number as rowid from devices
        where ${whereAll({ and: [sql`number > ${after}`, ...isOneOf('store_id', stores)] })}
        order by number limit ${limit}`.execute(db);
      return rows;
    }
    const [table, id, conditions] =
      target.type === 'tag'
        ? [
            sql`device_tags`,
            sql`device_id`,
            [
              sql<SqlBool>`tag = ${target.value}`,
              ...(stores ? [sql<SqlBool>`device_id in ${devicesOfStores(stores)}`] : []),
            ],
          ]
        : [
            sql`devices`,
            sql`id`,
            [
              sql<SqlBool>`${sql.ref(target.type === 'store' ? 'store_id' : 'id')} = ${target.id}`,
              ...isOneOf('store_id', stores),
            ],
          ];
    const { rows } = await sql<{ id: string; rowid: number }>`select ${id} as id, rowid from ${table}
      where ${whereAll({ and: [...conditions, sql`rowid > ${after}`] })} order by rowid limit ${limit}`.execute(
      db,
    );
    return rows;
  };

  return {
    list: (query: DeviceListQuery): Promise<Page<ListedDevice>> => listDevices(db, query),
    /** Without its tags; for a transaction that changes its live state. */
    async findRow(id: string): Promise<DeviceWithLive | undefined> {
      const { rows } = await sql<DeviceWithLive>`select * from devices
        join device_live on device_live.device = devices.number where id = ${id}
        ${engineOf(db).keepRows('device_live')}`.execute(db);
      return rows[0];
    },
    async find(id: string): Promise<DeviceRow | undefined> {
      const { rows } = await sql<
        DeviceWithLive & { tags: string }
      >`select *, ${tagged.json} as tags from devices
        join device_live on device_live.device = devices.number where id = ${id}`.execute(db);
      return rows[0] && { ...rows[0], tags: JSON.parse(rows[0].tags) };
    },
    findNames: (ids: readonly string[]): Promise<Map<string, string>> => findNames(db, 'devices', ids),
    /** These devices as lists show them, in the order of the ids. */
    findListed: (ids: readonly string[]) => findListed(db, ids),
    /** The revisions that the devices of one part of a list have reported. */
    listApplied: (query: DeviceListQuery) => listApplied(db, query),
    count: (): Promise<number> => countDevices(db),
    countFaults: (which: CountedDevices) => countFaults(db, which),
    countByVersion: (which: CountedDevices, yieldTurn: () => Promise<void>) =>
      countDevicesByVersion(db, which, yieldTurn),
    countTags: (): Promise<number> => tagged.count(),
    /** What manifests need of the devices that exist. */
    async findManifestDevices(ids: readonly string[]): Promise<ManifestDevice[]> {
      const rows = await queryInBatches(ids, (slice) =>
        db.selectFrom('devices').select(MANIFEST_DEVICE_COLUMNS).where('id', 'in', slice).execute(),
      );
      return (await tagged.attach(rows)).map(toManifestDevice);
    },
    /** At most `limit` of the devices that one of the targets reaches; awaits `yieldIfLong` in between. */
    async findReached(
      targets: readonly Target[],
      limit: number,
      yieldIfLong: () => Promise<void>,
    ): Promise<string[]> {
      const ids = new Set<string>();
      for (const target of targets) {
        for (const { id } of ids.size < limit ? await reachedBy(target, 0, limit) : []) {
          ids.add(id);
        }
        await yieldIfLong();
      }
      return [...ids].slice(0, limit);
    },
    /** All devices, of all stores or of these, that at least one of the targets reaches; awaits `yieldIfLong` in between. */
    async findAllReached(
      targets: readonly Target[],
      yieldIfLong: () => Promise<void>,
      stores?: readonly string[],
    ): Promise<ReadonlySet<string>> {
      const ids = new Set<string>();
      for (const target of new Map(targets.map((each) => [targetKey(each), each])).values()) {
        let rows: Awaited<ReturnType<typeof reachedBy>> = [];
        do {
          rows = await reachedBy(target, rows.at(-1)?.rowid ?? 0, BATCH_ROWS, stores);
          for (const { id } of rows) {
            ids.add(id);
          }
          await yieldIfLong();
        } while (rows.length === BATCH_ROWS);
      }
      return ids;
    },
    /** All devices that a filter of the list finds; awaits `yieldIfLong` in between. */
    async findAllMatching(
      { tag, ...filter }: DeviceFilter,
      yieldIfLong: () => Promise<void>,
    ): Promise<ReadonlySet<string>> {
      const found = await findMatching(db, filter, yieldIfLong);
      if (tag === undefined) {
        return found;
      }
      // As a condition it would be looked up once more for each part.
      const withTag = await this.findAllReached([{ type: 'tag', value: tag }], yieldIfLong);
      return new Set([...withTag].filter((id) => found.has(id)));
    },
    /** How many of these devices are in no store with a time zone; awaits `yieldIfLong` in between. */
    async countWithoutZone(ids: readonly string[], yieldIfLong: () => Promise<void>): Promise<number> {
      let count = 0;
      for (const slice of slicesOf(ids, BATCH_ROWS)) {
        const { n } = await db
          .selectFrom('devices')
          .leftJoin('stores', 'stores.id', 'devices.store_id')
          .where('devices.id', 'in', slice)
          .where('stores.timezone', 'is', null)
          .select((eb) => eb.fn.countAll<number>().as('n'))
          .executeTakeFirstOrThrow();
        count += n;
        await yieldIfLong();
      }
      return count;
    },
    /** Inserts a device that has not reported anything yet. */
    async insert(row: Omit<NewRow<'devices'>, 'number'>, tags: readonly string[]): Promise<void> {
      const { device: number } = await db
        .insertInto('device_live')
        .values({ online: row.status === 'online' ? 1 : 0, rolled_up_until: rollUpEnd(row.created_at) })
        .returning('device')
        .executeTakeFirstOrThrow();
      await db
        .insertInto('devices')
        .values({ ...row, number })
        .execute();
      await tagged.replace(row.id, tags);
    },
    async update(id: string, change: RowChange<'devices'>): Promise<void> {
      await db.updateTable('devices').set(change).where('id', '=', id).execute();
    },
    async updateLive(number: number, change: LiveChange): Promise<void> {
      await db
        .updateTable('device_live')
        .set({ ...change, ...indexedWith(db, change.last_seen) })
        .where('device', '=', number)
        .execute();
    },
    async setStatus(
      { id, number }: Pick<Row<'devices'>, 'id' | 'number'>,
      status: 'online' | 'offline',
    ): Promise<void> {
      await this.update(id, { status });
      await db
        .updateTable('device_live')
        .set({ online: status === 'online' ? 1 : 0 })
        .where('device', '=', number)
        .execute();
    },
    setTags: (id: string, tags: readonly string[]): Promise<void> => tagged.replace(id, tags),
    /** Whether there may be online devices from which nothing was received since the timestamp. */
    async mayAnyBeSilentSince(beforeMs: number): Promise<boolean> {
      const { rows } = await sql`select 1 from device_live
        where ${mayBeSilentSince(db, beforeMs)} limit 1`.execute(db);
      return rows.length > 0;
    },
    /** When something was last received from each of these devices that is online. */
    async findLastSeen(ids: readonly string[]): Promise<ReadonlyMap<string, number | null>> {
      if (ids.length === 0) {
        return new Map();
      }
      const rows = await db
        .selectFrom('devices')
        .innerJoin('device_live', 'device_live.device', 'devices.number')
        .select(['devices.id', 'device_live.last_seen'])
        .where('devices.id', 'in', ids)
        .where('devices.status', '=', 'online')
        .execute();
      return new Map(rows.map(({ id, last_seen }) => [id, last_seen]));
    },
    /** Offline devices whose last webhook notification, the column `told_status`, was `online`; at most `limit`. */
    async offlineNotNotified(limit: number): Promise<string[]> {
      // The conditions of the index `devices_not_notified`, which has only these devices: asked for every few seconds.
      const { rows } = await sql<{ id: string }>`select id from devices
        where status = 'offline' and told_status = 'online' limit ${limit}`.execute(db);
      return rows.map((row) => row.id);
    },
    async delete(
      { id, name, number }: Pick<Row<'devices'>, 'id' | 'name' | 'number'>,
      nowMs: number,
    ): Promise<void> {
      await db.deleteFrom('devices').where('id', '=', id).execute();
      await db.insertInto('removed_devices').values({ id, name, number, removed_at: nowMs }).execute();
      // Only the numbers of its samples are still of use.
      await db
        .updateTable('device_live')
        .set({ online: 0, current: null, storage: null, frames: null, faults: null, latest_sample: null })
        .where('device', '=', number)
        .execute();
    },

    async insertToken(hash: string, deviceId: string, nowMs: number): Promise<void> {
      await db
        .insertInto('device_tokens')
        .values({ hash, device_id: deviceId, created_at: nowMs, first_used_at: null, revoked_at: null })
        .execute();
    },
    async markTokenUsed(hash: string, nowMs: number): Promise<void> {
      await db.updateTable('device_tokens').set({ first_used_at: nowMs }).where('hash', '=', hash).execute();
    },
    async revokeTokens(deviceId: string, nowMs: number): Promise<void> {
      await db
        .updateTable('device_tokens')
        .set({ revoked_at: nowMs })
        .where('device_id', '=', deviceId)
        .execute();
    },
  };
}
