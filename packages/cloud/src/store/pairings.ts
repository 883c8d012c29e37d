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
    /**
     * The session of a screen that is not over by then. With a secret: the one that it made, wherever it asks from.
     * Without (an older player): one that was made without, from the same address, and that nobody has confirmed.
     */
    async findLive(
      { serial, secretHash, address }: { serial: string; secretHash: string | null; address: string },
      thenMs: number,
    ): Promise<Row<'pairings'> | undefined> {
      const ofSerial = db
        .selectFrom('pairings')
        .selectAll()
        .where('serial', '=', serial)
        .where('poll_token', 'is not', null)
        .where('expires_at', '>', thenMs)
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
    /** Sessions that wait for somebody to type their code. */
    async countWaiting(): Promise<number> {
      const row = await db
        .selectFrom('pairings')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .where('device_id', 'is', null)
        .executeTakeFirstOrThrow();
      return row.n;
    },
    /** Removes the oldest waiting session of the address that has most of them; false when none has more than `few`. */
    async makeRoom(few: number): Promise<boolean> {
      const most = await db
        .selectFrom('pairings')
        .select((eb) => ['address', eb.fn.countAll<number>().as('n')])
        .where('device_id', 'is', null)
        .groupBy('address')
        .orderBy('n', 'desc')
        .executeTakeFirst();
      if (!most || most.n <= few) return false;
      const oldest = await db
        .selectFrom('pairings')
        .select('id')
        .where('address', '=', most.address)
        .where('device_id', 'is', null)
        .orderBy('created_at')
        .executeTakeFirstOrThrow();
      await db.deleteFrom('pairings').where('id', '=', oldest.id).execute();
      return true;
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
    /**
     * Removes the sessions that are over, and answers with the codes that expired unused. One that was confirmed
     * stays until its screen has fetched the token, or until `keptSinceMs` came after its end.
     */
    async deleteExpired(nowMs: number, keptSinceMs: number): Promise<string[]> {
      const rows = await db
        .deleteFrom('pairings')
        .where('expires_at', '<=', nowMs)
        .where((eb) =>
          eb.or([
            eb('device_id', 'is', null),
            eb('poll_token', 'is', null),
            eb('expires_at', '<', keptSinceMs),
          ]),
        )
        .returning(['code', 'device_id'])
        .execute();
      return rows.flatMap((row) => (row.device_id === null ? [row.code] : []));
    },
  };
}
