import type { Db } from './database.ts';
import type { NewRow, Row } from './schema.ts';

type PairingChange = { [K in keyof Omit<Row<'pairings'>, 'id'>]?: Row<'pairings'>[K] | undefined };

/** Sessions of screens that wait to be paired. */
export function pairingRepository(db: Db) {
  return {
    async find(id: string): Promise<Row<'pairings'> | undefined> {
      return db.selectFrom('pairings').selectAll().where('id', '=', id).executeTakeFirst();
    },
    async findByCode(code: string): Promise<Row<'pairings'> | undefined> {
      return db.selectFrom('pairings').selectAll().where('code', '=', code).executeTakeFirst();
    },
    /** The session of a screen that is not over by then. */
    async findLive(serial: string, address: string, thenMs: number): Promise<Row<'pairings'> | undefined> {
      return db
        .selectFrom('pairings')
        .selectAll()
        .where('serial', '=', serial)
        .where('address', '=', address)
        .where('poll_token', 'is not', null)
        .where('expires_at', '>', thenMs)
        .orderBy('created_at', 'desc')
        .executeTakeFirst();
    },
    async insert(row: NewRow<'pairings'>): Promise<void> {
      await db.insertInto('pairings').values(row).execute();
    },
    async update(id: string, change: PairingChange): Promise<void> {
      await db.updateTable('pairings').set(change).where('id', '=', id).execute();
    },
    /** The device token of this device was used: nobody needs the session any more. */
    async finish(deviceId: string): Promise<void> {
      await db.updateTable('pairings').set({ poll_token: null }).where('device_id', '=', deviceId).execute();
    },
    async deleteExpired(beforeMs: number): Promise<void> {
      await db.deleteFrom('pairings').where('expires_at', '<', beforeMs).execute();
    },
  };
}
