import type { Notice } from '../domain/events.ts';
import type { Db } from './database.ts';
import { pageOf } from './paging.ts';
import type { Page, Paging } from './paging.ts';
import type { NewRow, Row } from './schema.ts';

type WebhookChange = { [K in keyof Omit<Row<'webhooks'>, 'id'>]?: Row<'webhooks'>[K] | undefined };
type DeliveryChange = {
  [K in keyof Omit<Row<'webhook_deliveries'>, 'id'>]?: Row<'webhook_deliveries'>[K] | undefined;
};

export interface DeliveryFilter extends Paging {
  status?: Row<'webhook_deliveries'>['status'] | undefined;
}

/** A new delivery that waits to be sent. */
export function pendingDelivery(
  about: { id: string; webhookId: string; type: string; resource: string; data: object },
  nowMs: number,
): Omit<Row<'webhook_deliveries'>, 'seq'> {
  return {
    id: about.id,
    webhook_id: about.webhookId,
    event_type: about.type,
    resource: about.resource,
    payload: JSON.stringify({
      type: about.type,
      timestamp: new Date(nowMs).toISOString(),
      data: about.data,
    }),
    status: 'pending',
    attempts: 0,
    next_attempt_at: nowMs,
    response_status: null,
    error: null,
    created_at: nowMs,
    finished_at: null,
  };
}

/** Who is notified of what, and what is still to be sent. */
export function webhookRepository(db: Db) {
  return {
    list: (paging: Paging): Promise<Page<Row<'webhooks'>>> => pageOf(db, 'webhooks', paging),
    async find(id: string): Promise<Row<'webhooks'> | undefined> {
      return db.selectFrom('webhooks').selectAll().where('id', '=', id).executeTakeFirst();
    },
    async insert(row: NewRow<'webhooks'>): Promise<void> {
      await db.insertInto('webhooks').values(row).execute();
    },
    async update(id: string, change: WebhookChange): Promise<void> {
      await db.updateTable('webhooks').set(change).where('id', '=', id).execute();
    },
    async delete(id: string): Promise<void> {
      await db.deleteFrom('webhooks').where('id', '=', id).execute();
    },

    /** Writes one delivery for each webhook that asked for the notice. Answers with how many. */
    async enqueue(notice: Notice, newId: () => string, nowMs: number): Promise<number> {
      const hooks = await db
        .selectFrom('webhooks')
        .select(['id', 'events'])
        .where('is_active', '=', 1)
        .execute();
      const wanting = hooks.filter((hook) => JSON.parse(hook.events).includes(notice.type));
      for (const hook of wanting)
        await this.insertDelivery(pendingDelivery({ ...notice, id: newId(), webhookId: hook.id }, nowMs));
      return wanting.length;
    },
    async insertDelivery(row: Omit<NewRow<'webhook_deliveries'>, 'seq'>): Promise<void> {
      const last = await db
        .selectFrom('webhook_deliveries')
        .select((eb) => eb.fn.max('seq').as('seq'))
        .where('webhook_id', '=', row.webhook_id)
        .executeTakeFirst();
      await db
        .insertInto('webhook_deliveries')
        .values({ ...row, seq: (last?.seq ?? 0) + 1 })
        .execute();
    },
    listDeliveries: (webhookId: string, filter: DeliveryFilter): Promise<Page<Row<'webhook_deliveries'>>> =>
      pageOf(db, 'webhook_deliveries', filter, { equal: { webhook_id: webhookId, status: filter.status } }),
    async findDelivery(id: string): Promise<Row<'webhook_deliveries'> | undefined> {
      return db.selectFrom('webhook_deliveries').selectAll().where('id', '=', id).executeTakeFirst();
    },
    async updateDelivery(id: string, change: DeliveryChange): Promise<void> {
      await db.updateTable('webhook_deliveries').set(change).where('id', '=', id).execute();
    },
    /** Webhooks that have something to send now. */
    async withWork(nowMs: number): Promise<string[]> {
      const rows = await db
        .selectFrom('webhook_deliveries')
        .innerJoin('webhooks', 'webhooks.id', 'webhook_deliveries.webhook_id')
        .select('webhooks.id')
        .distinct()
        .where('webhooks.is_active', '=', 1)
        .where('webhook_deliveries.status', '=', 'pending')
        .where('webhook_deliveries.next_attempt_at', '<=', nowMs)
        .execute();
      return rows.map((row) => row.id);
    },
    /**
     * The oldest delivery of the webhook that is due, and that no earlier one about the same resource holds
     * up: so what is about one thing arrives in order.
     */
    async nextDue(webhookId: string, nowMs: number): Promise<Row<'webhook_deliveries'> | undefined> {
      return db
        .selectFrom('webhook_deliveries as due')
        .selectAll()
        .where('due.webhook_id', '=', webhookId)
        .where('due.status', '=', 'pending')
        .where('due.next_attempt_at', '<=', nowMs)
        .where((eb) =>
          eb.not(
            eb.exists(
              eb
                .selectFrom('webhook_deliveries as earlier')
                .select('earlier.id')
                .whereRef('earlier.webhook_id', '=', 'due.webhook_id')
                .whereRef('earlier.resource', '=', 'due.resource')
                .where('earlier.status', '=', 'pending')
                .whereRef('earlier.seq', '<', 'due.seq'),
            ),
          ),
        )
        .orderBy('due.seq')
        .executeTakeFirst();
    },
    async failPending(webhookId: string, error: string, nowMs: number): Promise<void> {
      await db
        .updateTable('webhook_deliveries')
        .set({ status: 'failed', error, next_attempt_at: null, finished_at: nowMs })
        .where('webhook_id', '=', webhookId)
        .where('status', '=', 'pending')
        .execute();
    },
    async deleteFinishedBefore(beforeMs: number): Promise<void> {
      await db.deleteFrom('webhook_deliveries').where('finished_at', '<', beforeMs).execute();
    },
  };
}
