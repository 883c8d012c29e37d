import type { Db } from './db.ts';
import type { Row, RowChange } from './schema.ts';

/** The only organization of this cloud. */
export function organizationRepository(db: Db) {
  return {
    async find(): Promise<Row<'organization'> | undefined> {
      return db.selectFrom('organization').selectAll().executeTakeFirst();
    },
    async get(): Promise<Row<'organization'>> {
      return db.selectFrom('organization').selectAll().executeTakeFirstOrThrow();
    },
    /** Whether it wants copies of files that play on more screens. */
    async wantsRenditions(): Promise<boolean> {
      const row = await db.selectFrom('organization').select('renditions').executeTakeFirst();
      return row !== undefined && row.renditions !== 'off';
    },
    async create(name: string, nowMs: number): Promise<void> {
      await db
        .insertInto('organization')
        .values({ id: 'org', name, timezone: 'UTC', epoch: 0, created_at: nowMs, updated_at: nowMs })
        .execute();
    },
    async update(
      change: Pick<
        RowChange<'organization'>,
        'name' | 'timezone' | 'screenshots_allowed' | 'screenshot_interval_minutes' | 'renditions'
      >,
      nowMs: number,
    ) {
      await db
        .updateTable('organization')
        .set({ ...change, updated_at: nowMs })
        .execute();
    },
    /** Names what the media store is to have as well; the next check writes it there. */
    async setMediaId(id: string): Promise<void> {
      await db.updateTable('organization').set({ media_id: id, media_turn: 0 }).execute();
    },
    /** Begins the next turn, if the id is still this one; returns its number. */
    async nextMediaTurn(id: string): Promise<number | undefined> {
      const row = await db
        .updateTable('organization')
        .set((eb) => ({ media_turn: eb('media_turn', '+', 1) }))
        .where('media_id', '=', id)
        .returning('media_turn')
        .executeTakeFirst();
      return row?.media_turn;
    },
    /** Marks a change of what manifests are built from; returns its number. */
    async incrementEpoch(): Promise<number> {
      const { epoch } = await db
        .updateTable('organization')
        .set((eb) => ({ epoch: eb('epoch', '+', 1) }))
        .returning('epoch')
        .executeTakeFirstOrThrow();
      return epoch;
    },
  };
}
