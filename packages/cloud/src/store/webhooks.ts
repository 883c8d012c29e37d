import type { Notice } from '../domain/events.ts';
import type { Db } from './database.ts';

/** Who is notified of what, and what is still to be sent. */
export function webhookRepository(db: Db) {
  return {
    /** Writes one delivery for each webhook that asked for the notice. Answers with how many. */
    async enqueue(notice: Notice, newId: () => string, nowMs: number): Promise<number> {
      const hooks = await db
        .selectFrom('webhooks')
        .select(['id', 'events'])
        .where('is_active', '=', 1)
        .execute();
      const wanting = hooks.filter((hook) => JSON.parse(hook.events).includes(notice.type));
      if (wanting.length === 0) return 0;
      const payload = JSON.stringify({
        type: notice.type,
        timestamp: new Date(nowMs).toISOString(),
        data: notice.data,
      });
      await db
        .insertInto('webhook_deliveries')
        .values(
          wanting.map((hook) => ({
            id: newId(),
            webhook_id: hook.id,
            event_type: notice.type,
            resource: notice.resource,
            payload,
            status: 'pending',
            attempts: 0,
            next_attempt_at: nowMs,
            response_status: null,
            error: null,
            created_at: nowMs,
            finished_at: null,
          })),
        )
        .execute();
      return wanting.length;
    },
  };
}
