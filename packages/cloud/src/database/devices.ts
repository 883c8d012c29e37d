import type { DisplaySettings, NowPlaying } from '@placard/protocol';
import { sql } from 'kysely';
import type { ManifestDevice } from '../domain/manifest-builder.ts';
import type { Db } from './open-database.ts';
import { countRows, findById, findNames, selectPage, slicesOf } from './paging.ts';
import type { Page, Paging } from './paging.ts';
import type { NewRow, Row, RowChange } from './schema.ts';
import { tagTable } from './tags.ts';

export type DeviceRow = Row<'devices'> & { tags: string[] };
/** The column `current`: what the device shows now, and since when it has shown that playlist. */
export type CurrentPlay = NowPlaying & { playlist_since: string };

export interface DeviceFilter extends Paging {
  status?: 'online' | 'offline' | undefined;
  store_id?: string | undefined;
  tag?: string | undefined;
}

const MANIFEST_DEVICE_COLUMNS = [
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

export function deviceRepository(db: Db) {
  const tagged = tagTable(db, 'device_tags');

  return {
    async list(filter: DeviceFilter): Promise<Page<DeviceRow>> {
      const { status, store_id, tag } = filter;
      const { rows, total } = await selectPage(db, 'devices', filter, {
        equal: { status, store_id },
        and: tagged.having(tag),
      });
      return { rows: await tagged.attach(rows), total };
    },
    /** Without its tags. */
    findRow: (id: string) => findById(db, 'devices', id),
    async find(id: string): Promise<DeviceRow | undefined> {
      const row = await this.findRow(id);
      return row ? (await tagged.attach([row]))[0] : undefined;
    },
    findNames: (ids: readonly string[]): Promise<Map<string, string>> => findNames(db, 'devices', ids),
    count: (): Promise<number> => countRows(db, 'devices'),
    countTags: (): Promise<number> => tagged.count(),
    /**
     * All devices, or the given one, with their target revisions. For all devices only tags that something targets
     * are read: there may be very many others, which have no effect.
     */
    async listManifestDevices(id?: string): Promise<{ device: ManifestDevice; revision: string }[]> {
      let query = db.selectFrom('devices').select([...MANIFEST_DEVICE_COLUMNS, 'manifest_revision']);
      let tagQuery = db.selectFrom('device_tags').select(['device_id', 'tag']);
      if (id === undefined) {
        tagQuery = tagQuery.where('tag', 'in', (eb) =>
          eb
            .selectFrom('schedule_targets')
            .select('ref')
            .where('kind', '=', 'tag')
            .union(eb.selectFrom('deployment_targets').select('ref').where('kind', '=', 'tag')),
        );
      } else {
        query = query.where('id', '=', id);
        tagQuery = tagQuery.where('device_id', '=', id);
      }
      const tags = Map.groupBy(await tagQuery.execute(), (row) => row.device_id);
      return (await query.execute()).map((row) => ({
        device: {
          id: row.id,
          name: row.name,
          orientation: row.orientation,
          display: toDisplaySettings(row),
          menu_pin_hash: row.menu_pin_hash,
          store_id: row.store_id,
          tags: (tags.get(row.id) ?? []).map(({ tag }) => tag),
        },
        revision: row.manifest_revision,
      }));
    },
    async insert(row: NewRow<'devices'>, tags: readonly string[]): Promise<void> {
      await db.insertInto('devices').values(row).execute();
      await tagged.replace(row.id, tags);
    },
    async update(id: string, change: RowChange<'devices'>): Promise<void> {
      await db.updateTable('devices').set(change).where('id', '=', id).execute();
    },
    async setManifestRevisions(revisions: readonly { id: string; revision: string }[]): Promise<void> {
      for (const slice of slicesOf(revisions, 500)) {
        const rows = slice.map(({ id, revision }) => sql`(${id}, ${revision})`);
        await sql`with revisions (id, revision) as (values ${sql.join(rows)})
          update devices set manifest_revision = revisions.revision from revisions where devices.id = revisions.id`.execute(
          db,
        );
      }
    },
    setTags: (id: string, tags: readonly string[]): Promise<void> => tagged.replace(id, tags),
    /** Online devices from which nothing was received since the timestamp. */
    async listOnlineNotSeenSince(beforeMs: number): Promise<string[]> {
      const rows = await db
        .selectFrom('devices')
        .select('id')
        .where('status', '=', 'online')
        .where('last_seen', '<=', beforeMs)
        .execute();
      return rows.map((row) => row.id);
    },
    /** Offline devices whose last webhook notification, the column `told_status`, was `online`. */
    async offlineNotNotified(): Promise<string[]> {
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
