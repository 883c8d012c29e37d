import { sql } from 'kysely';
import type { TestCloud } from './test-cloud.ts';

/** Adds deliveries that wait, until `free` more may wait; returns what deletes them again. */
export async function fillQueue(
  cloud: TestCloud,
  webhookId: string,
  free: number,
): Promise<() => Promise<unknown>> {
  const payload = JSON.stringify({ type: 'webhook.test', timestamp: new Date(0).toISOString(), data: {} });
  await cloud.inDatabase((db) =>
    sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${sql.lit(10_000 - free)})
      insert into webhook_deliveries (id, webhook_id, seq, event_type, resource, payload, bytes, status, attempts,
        next_attempt_at, created_at)
      select 'dlv_' || i, ${webhookId}, i, 'webhook.test', 'none', ${payload}, 11, 'pending', 0, 0, 0 from n`.execute(
      db,
    ),
  );
  return () =>
    cloud.inDatabase((db) =>
      db.deleteFrom('webhook_deliveries').where('event_type', '=', 'webhook.test').execute(),
    );
}
