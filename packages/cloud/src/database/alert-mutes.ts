import type { Db } from './db.ts';
import { deleteById, findById } from './paging.ts';
import type { NewRow, Row } from './schema.ts';

/** Mutes of alerts. */
export function alertMuteRepository(db: Db) {
  return {
    /** Those that are not over, newest first. */
    listCurrent: (nowMs: number): Promise<Row<'alert_mutes'>[]> =>
      db
        .selectFrom('alert_mutes')
        .selectAll()
        .where('until', '>', nowMs)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .execute(),
    /** One that may be over. */
    find: (id: string) => findById(db, 'alert_mutes', id),
    async insert(row: NewRow<'alert_mutes'>): Promise<void> {
      await db.insertInto('alert_mutes').values(row).execute();
    },
    delete: (id: string): Promise<void> => deleteById(db, 'alert_mutes', id),
    async deleteOver(nowMs: number): Promise<void> {
      await db.deleteFrom('alert_mutes').where('until', '<=', nowMs).execute();
    },
  };
}
