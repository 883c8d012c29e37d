import type { Db } from '../../src/database/db.ts';

/** Inserts an active webhook for these events. */
export async function insertWebhook(db: Db, events: readonly string[]): Promise<void> {
  await db
    .insertInto('webhooks')
    .values({
      id: 'wh_1',
      url: 'https://receiver.example',
      events: JSON.stringify(events),
      is_active: 1,
      secret: 's',
      created_at: 0,
      updated_at: 0,
    })
    .execute();
}
