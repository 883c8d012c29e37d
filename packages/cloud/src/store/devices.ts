import type { DisplaySettings } from '@placard/protocol';
import { sql } from 'kysely';
import type { Member } from '../domain/manifest.ts';
import type { Db } from './database.ts';
import { countOf, groupBy, inSlices, pageOf } from './paging.ts';
import type { Page, Paging } from './paging.ts';
import type { NewRow, Row } from './schema.ts';
import { tagTable } from './tags.ts';

export type DeviceRow = Row<'devices'> & { tags: string[] };
export type DeviceChange = { [K in keyof Omit<Row<'devices'>, 'id'>]?: Row<'devices'>[K] | undefined };

export interface DeviceFilter extends Paging {
  status?: 'online' | 'offline' | undefined;
  storeId?: string | undefined;
  tag?: string | undefined;
}

const MEMBER_COLUMNS = [
  'id',
  'name',
  'orientation',
  'fit',
  'ground',
  'fade_ms',
  'language',
  'menu_pin_hash',
  'store_id',
] as const;
type MemberRow = Pick<DeviceRow, (typeof MEMBER_COLUMNS)[number] | 'tags'>;

/** What a manifest says of the device, and what decides which content reaches it. */
export function memberOf(row: MemberRow): Member {
  return {
    id: row.id,
    name: row.name,
    orientation: row.orientation,
    display: displayOf(row),
    menuPinHash: row.menu_pin_hash,
    storeId: row.store_id,
    tags: row.tags,
  };
}

/** How the device shows things. */
export const displayOf = (row: Pick<DeviceRow, keyof DisplaySettings>): DisplaySettings => ({
  fit: row.fit,
  ground: row.ground,
  fade_ms: row.fade_ms,
  language: row.language,
});

export function deviceRepository(db: Db) {
  const tagged = tagTable(db, 'device_tags');

  return {
    async list(filter: DeviceFilter): Promise<Page<DeviceRow>> {
      const { status, storeId, tag } = filter;
      const { rows, total } = await pageOf(db, 'devices', filter, {
        equal: { status, store_id: storeId },
        and: tagged.having(tag),
      });
      return { rows: await tagged.attach(rows), total };
    },
    /** Without its tags. */
    async findRow(id: string): Promise<Row<'devices'> | undefined> {
      return db.selectFrom('devices').selectAll().where('id', '=', id).executeTakeFirst();
    },
    async find(id: string): Promise<DeviceRow | undefined> {
      const row = await this.findRow(id);
      return row ? (await tagged.attach([row]))[0] : undefined;
    },
    /** Names by id, of those that exist. */
    async names(ids: readonly string[]): Promise<Map<string, string>> {
      const rows = await inSlices(ids, (slice) =>
        db.selectFrom('devices').select(['id', 'name']).where('id', 'in', slice).execute(),
      );
      return new Map(rows.map(({ id, name }) => [id, name]));
    },
    /** Those of the ids that exist. */
    async existing(ids: readonly string[]): Promise<Set<string>> {
      if (ids.length === 0) return new Set();
      const rows = await db.selectFrom('devices').select('id').where('id', 'in', ids).execute();
      return new Set(rows.map((row) => row.id));
    },
    count: (): Promise<number> => countOf(db, 'devices'),
    /** How many tags all devices have together. */
    countTags: (): Promise<number> => tagged.count(),
    /**
     * Every device with the revision that it should have, or the one named. Of all devices only the tags are read at
     * which something is aimed: there may be very many others, which decide nothing.
     */
    async members(id?: string): Promise<{ member: Member; revision: string }[]> {
      let query = db.selectFrom('devices').select([...MEMBER_COLUMNS, 'manifest_revision']);
      let tagQuery = db.selectFrom('device_tags').select(['device_id', 'tag']);
      if (id === undefined)
        tagQuery = tagQuery.where('tag', 'in', (eb) =>
          eb
            .selectFrom('schedule_targets')
            .select('ref')
            .where('kind', '=', 'tag')
            .union(eb.selectFrom('deployment_targets').select('ref').where('kind', '=', 'tag')),
        );
      else {
        query = query.where('id', '=', id);
        tagQuery = tagQuery.where('device_id', '=', id);
      }
      const tags = groupBy(await tagQuery.execute(), (row) => row.device_id);
      return (await query.execute()).map((row) => ({
        member: memberOf({ ...row, tags: (tags.get(row.id) ?? []).map((tag) => tag.tag) }),
        revision: row.manifest_revision,
      }));
    },
    async insert(row: NewRow<'devices'>, tags: readonly string[]): Promise<void> {
      await db.insertInto('devices').values(row).execute();
      await tagged.replace(row.id, tags);
    },
    async update(id: string, change: DeviceChange): Promise<void> {
      await db.updateTable('devices').set(change).where('id', '=', id).execute();
    },
    /** Notes which manifest each device should have. */
    async setRevisions(told: readonly { id: string; revision: string }[]): Promise<void> {
      for (let start = 0; start < told.length; start += 500) {
        const rows = told.slice(start, start + 500).map(({ id, revision }) => sql`(${id}, ${revision})`);
        await sql`with told (id, revision) as (values ${sql.join(rows)})
          update devices set manifest_revision = told.revision from told where devices.id = told.id`.execute(
          db,
        );
      }
    },
    setTags: (id: string, tags: readonly string[]): Promise<void> => tagged.replace(id, tags),
    /** Online devices that have been silent since the instant. */
    async silentSince(beforeMs: number): Promise<string[]> {
      const rows = await db
        .selectFrom('devices')
        .select('id')
        .where('status', '=', 'online')
        .where('last_seen', '<=', beforeMs)
        .execute();
      return rows.map((row) => row.id);
    },
    /** Offline devices of which webhooks were last told that they are online. */
    async offlineUntold(): Promise<string[]> {
      const rows = await db
        .selectFrom('devices')
        .select('id')
        .where('status', '=', 'offline')
        .where('told_status', '=', 'online')
        .execute();
      return rows.map((row) => row.id);
    },
    async delete(id: string, name: string, nowMs: number): Promise<void> {
      await db.deleteFrom('devices').where('id', '=', id).execute();
      await db.insertInto('removed_devices').values({ id, name, removed_at: nowMs }).execute();
    },

    async insertToken(hash: string, deviceId: string, nowMs: number): Promise<void> {
      await db
        .insertInto('device_tokens')
        .values({ hash, device_id: deviceId, created_at: nowMs, first_used_at: null, revoked_at: null })
        .execute();
    },
    async findToken(hash: string): Promise<Row<'device_tokens'> | undefined> {
      return db.selectFrom('device_tokens').selectAll().where('hash', '=', hash).executeTakeFirst();
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
