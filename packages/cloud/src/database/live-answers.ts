import type { Db } from './db.ts';

/** The last answer of each device that somebody looks at, on PostgreSQL: for the nodes where they wait. */
export function liveAnswerRepository(db: Db) {
  return {
    async keep(deviceId: string, wanted: string, answer: string, nowMs: number): Promise<void> {
      await db
        .insertInto('live_answers')
        .values({ device_id: deviceId, wanted, answer, at: nowMs })
        .onConflict((conflict) =>
          conflict.columns(['device_id', 'wanted']).doUpdateSet((eb) => ({
            answer: eb.ref('excluded.answer'),
            at: eb.ref('excluded.at'),
          })),
        )
        .execute();
    },
    /** Null when it was deleted. */
    async read(deviceId: string, wanted: string): Promise<string | null> {
      const row = await db
        .selectFrom('live_answers')
        .select('answer')
        .where('device_id', '=', deviceId)
        .where('wanted', '=', wanted)
        .executeTakeFirst();
      return row?.answer ?? null;
    },
    async deleteBefore(beforeMs: number): Promise<void> {
      await db.deleteFrom('live_answers').where('at', '<', beforeMs).execute();
    },
  };
}
