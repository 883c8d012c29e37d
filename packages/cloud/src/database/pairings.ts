import { sql } from 'kysely';
import type { Db } from './db.ts';
import { countRows, deleteById, findById } from './paging.ts';
import type { NewRow, Row, RowChange } from './schema.ts';

export function pairingRepository(db: Db) {
  return {
    find: (id: string) => findById(db, 'pairings', id),
    async findByCode(code: string): Promise<Row<'pairings'> | undefined> {
      return db.selectFrom('pairings').selectAll().where('code', '=', code).executeTakeFirst();
    },
    /**
     * The session of a device that is still valid at the timestamp. With a secret: the session created with it, from
     * any address. Without (older players): an unconfirmed session created without secret from the same address.
     */
    async findActive(
      { serial, secretHash, address }: { serial: string; secretHash: string | null; address: string },
      validAtMs: number,
    ): Promise<Row<'pairings'> | undefined> {
      const ofSerial = db
        .selectFrom('pairings')
        .selectAll()
        .where('serial', '=', serial)
        .where('poll_token', 'is not', null)
        .where('expires_at', '>', validAtMs)
        .orderBy('created_at', 'desc');
      const ofScreen =
        secretHash === null
          ? ofSerial
              .where('secret_hash', 'is', null)
              .where('address', '=', address)
              .where('device_id', 'is', null)
          : ofSerial.where('secret_hash', '=', secretHash);
      return ofScreen.executeTakeFirst();
    },
    /** Number of sessions whose code has not been entered yet. */
    countWaiting: (): Promise<number> => countRows(db, 'pairings', { and: [sql`device_id is null`] }),
    /**
     * Deletes the oldest waiting session of the address with most of them; false if no address has more than
     * `threshold`.
     */
    async evictOldest(threshold: number): Promise<boolean> {
      const most = await db
        .selectFrom('pairings')
        .select((eb) => ['address', eb.fn.countAll<number>().as('n')])
        .where('device_id', 'is', null)
        .groupBy('address')
        .orderBy('n', 'desc')
        .executeTakeFirst();
      if (!most || most.n <= threshold) {
        return false;
      }
      const oldest = await db
        .selectFrom('pairings')
        .select('id')
        .where('address', '=', most.address)
        .where('device_id', 'is', null)
        .orderBy('created_at')
        .executeTakeFirstOrThrow();
      await deleteById(db, 'pairings', oldest.id);
      return true;
    },
    async insert(row: NewRow<'pairings'>): Promise<void> {
      await db.insertInto('pairings').values(row).execute();
    },
    async update(id: string, change: RowChange<'pairings'>): Promise<void> {
      await db.updateTable('pairings').set(change).where('id', '=', id).execute();
    },
    /** Ends the session of a device that has used its device token. */
    async end(deviceId: string): Promise<void> {
      await db.updateTable('pairings').set({ poll_token: null }).where('device_id', '=', deviceId).execute();
    },
    /**
     * Deletes expired sessions and returns the codes that expired unused. A confirmed session stays until its device
     * has fetched the token, or until it expired before `confirmedBeforeMs`.
     */
    async deleteExpired(nowMs: number, confirmedBeforeMs: number): Promise<string[]> {
      const rows = await db
        .deleteFrom('pairings')
        .where('expires_at', '<=', nowMs)
        .where((eb) =>
          eb.or([
            eb('device_id', 'is', null),
            eb('poll_token', 'is', null),
            eb('expires_at', '<', confirmedBeforeMs),
          ]),
        )
        .returning(['code', 'device_id'])
        .execute();
      return rows.flatMap((row) => (row.device_id === null ? [row.code] : []));
    },
  };
}
