import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import { eventJson } from '../domain/events.ts';
import type { IdentifiedEvent } from '../domain/events.ts';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';
import { countRows, deleteById, findById, selectPage } from './paging.ts';
import { offsetOf } from './list-part.ts';
import type { ListQuery, Paging } from './list-part.ts';
import type { Page } from './paging.ts';
import type { NewRow, Row, RowChange } from './schema.ts';

export interface DeliveryFilter extends Paging {
  status?: Row<'webhook_deliveries'>['status'] | undefined;
}

type Delivery = Row<'webhook_deliveries'>;
type NewDelivery = Omit<Delivery, 'seq'>;

export interface NewDeliveryInput {
  id: string;
  webhookId: string;
  event: Omit<IdentifiedEvent, 'type'> & { type: string };
}

/** Limits per webhook, applied to pending and to finished deliveries separately. */
export interface DeliveryLimits {
  maxCount: number;
  maxBytes: number;
}

const DEFAULT_LIMITS: DeliveryLimits = { maxCount: 10_000, maxBytes: 256 * 2 ** 20 };
/** Limits per statement; all other work waits during a statement. */
const BATCH_LIMITS: DeliveryLimits = { maxCount: 500, maxBytes: 16 * 2 ** 20 };
/** Maximum bytes of all payloads of one page. */
const MAX_PAGE_BYTES = 8 * 2 ** 20;
const FINISHED_STATUSES = ['succeeded', 'failed'] as const;
const LISTED_COLUMNS = [
  'id',
  'webhook_id',
  'event_type',
  'status',
  'attempts',
  'next_attempt_at',
  'response_status',
  'error',
  'created_at',
  'finished_at',
] as const;

const toPayload = (event: NewDeliveryInput['event']): string =>
  eventJson({ ...event, data: JSON.stringify(event.data) });

const payloadLeftOut = ({ event_type: type, created_at }: Pick<Delivery, 'event_type' | 'created_at'>) =>
  JSON.stringify({ type, timestamp: new Date(created_at).toISOString(), data: {} });

function createPendingDelivery({ id, webhookId, event }: NewDeliveryInput, nowMs: number): NewDelivery {
  const { type, resource } = event;
  const payload = toPayload(event);
  return {
    id,
    webhook_id: webhookId,
    event_type: type,
    resource,
    payload,
    bytes: Buffer.byteLength(payload),
    status: 'pending',
    attempts: 0,
    next_attempt_at: nowMs,
    response_status: null,
    error: null,
    created_at: nowMs,
    finished_at: null,
  };
}

/** A delivery beyond the limits: stored as failed, with ids only. */
function createDroppedDelivery(input: NewDeliveryInput, nowMs: number, limits: DeliveryLimits): NewDelivery {
  const data = Object.fromEntries(
    Object.entries(input.event.data).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && 'id' in value ? [[name, { id: value.id }]] : [],
    ),
  );
  return {
    ...createPendingDelivery({ ...input, event: { ...input.event, data } }, nowMs),
    status: 'failed',
    next_attempt_at: null,
    error:
      `Not sent: ${limits.maxCount} deliveries, or ${Math.round(limits.maxBytes / 2 ** 20)} MB of them, are pending for ` +
      'this webhook. Make its receiver respond, and read from the API what has changed.',
    finished_at: nowMs,
  };
}

export function webhookRepository(db: Db, limits = DEFAULT_LIMITS) {
  /** Number of deliveries in these states, and bytes of their payloads. */
  const totalsByStatus = async (webhookId: string, states: readonly Delivery['status'][]) =>
    db
      .selectFrom('webhook_deliveries')
      .select((eb) => [
        eb.fn.countAll<number>().as('n'),
        eb.fn.coalesce(eb.fn.sum<number>('bytes'), eb.val(0)).as('bytes'),
      ])
      .where('webhook_id', '=', webhookId)
      .where('status', 'in', states)
      .executeTakeFirstOrThrow();

  const hasFreePlace = async ({ webhook_id, bytes }: NewDelivery): Promise<boolean> => {
    const pending = await totalsByStatus(webhook_id, ['pending']);
    return pending.n < limits.maxCount && pending.bytes + bytes <= limits.maxBytes;
  };

  const insert = async (row: NewDelivery): Promise<void> => {
    // The index has the states before the order.
    const last = (['pending', 'succeeded', 'failed'] as const).map(
      (status) =>
        sql`select max(seq) as seq from webhook_deliveries where webhook_id = ${row.webhook_id} and status = ${status}`,
    );
    const seq = sql<number>`(select coalesce(max(seq), 0) + 1 from (${sql.join(last, sql` union all `)}) as last)`;
    await db
      .insertInto('webhook_deliveries')
      .values({ ...row, seq })
      .execute();
  };

  return {
    list: (query: ListQuery): Promise<Page<Row<'webhooks'>>> => selectPage(db, 'webhooks', query),
    find: (id: string) => findById(db, 'webhooks', id),
    async insert(row: NewRow<'webhooks'>): Promise<void> {
      await db.insertInto('webhooks').values(row).execute();
    },
    async update(id: string, change: RowChange<'webhooks'>): Promise<void> {
      await db.updateTable('webhooks').set(change).where('id', '=', id).execute();
    },
    delete: (id: string): Promise<void> => deleteById(db, 'webhooks', id),

    /** Stores a delivery of each event for each webhook that is subscribed to it. Returns how many. */
    async enqueue(events: readonly IdentifiedEvent[], newId: () => string): Promise<number> {
      if (events.length === 0) {
        return 0;
      }
      const hooks = await db
        .selectFrom('webhooks')
        .select(['id', 'events'])
        .where('is_active', '=', 1)
        .execute();
      const subscriptions = hooks.map(({ id, events: types }) => ({ id, types: new Set(JSON.parse(types)) }));
      let queued = 0;
      for (const event of events) {
        for (const { id } of subscriptions.filter(({ types }) => types.has(event.type))) {
          await this.insertDelivery({ id: newId(), webhookId: id, event }, event.created_at);
          queued += 1;
        }
      }
      return queued;
    },
    /** Stores a delivery; it is marked as failed if too many are pending for the webhook. */
    async insertDelivery(input: NewDeliveryInput, nowMs: number): Promise<NewDelivery> {
      const wanted = createPendingDelivery(input, nowMs);
      const row = (await hasFreePlace(wanted)) ? wanted : createDroppedDelivery(input, nowMs, limits);
      await insert(row);
      return row;
    },
    /** Stores a delivery and returns true, unless too many are pending for the webhook. */
    async insertIfFree(input: NewDeliveryInput, nowMs: number): Promise<boolean> {
      const row = createPendingDelivery(input, nowMs);
      const isFree = await hasFreePlace(row);
      if (isFree) {
        await insert(row);
      }
      return isFree;
    },
    /**
     * A page of deliveries, newest first. At most 8 MiB of payloads are read; further ones are returned without data.
     */
    async listDeliveries(
      webhookId: string,
      filter: DeliveryFilter,
    ): Promise<{ rows: Omit<Delivery, 'seq' | 'resource' | 'bytes'>[]; total: number }> {
      const places = await db
        .selectFrom('webhook_deliveries')
        .select(['id', 'bytes'])
        .where('webhook_id', '=', webhookId)
        .$if(filter.status !== undefined, (query) => query.where('status', '=', filter.status ?? 'pending'))
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(filter.limit)
        .offset(offsetOf(filter))
        .execute();
      const total = await countRows(db, 'webhook_deliveries', {
        equal: { webhook_id: webhookId, status: filter.status },
      });
      const rows = [];
      let remainingBytes = MAX_PAGE_BYTES;
      for (const { id, bytes } of places) {
        remainingBytes -= bytes;
        const one = db.selectFrom('webhook_deliveries').select(LISTED_COLUMNS).where('id', '=', id);
        const found = await one
          .$if(remainingBytes >= 0, (query) => query.select('payload'))
          .executeTakeFirst();
        // One that was deleted meanwhile is left out.
        if (found) {
          const { payload, ...row } = found;
          rows.push({ ...row, payload: payload ?? payloadLeftOut(row) });
        }
      }
      return { rows, total };
    },
    findDelivery: (id: string) => findById(db, 'webhook_deliveries', id),
    async updateDelivery(id: string, change: RowChange<'webhook_deliveries'>): Promise<void> {
      await db.updateTable('webhook_deliveries').set(change).where('id', '=', id).execute();
    },
    /**
     * Stores how an attempt ended, unless another one has ended since the delivery was read: by a node that took over from
     * this one. Resolves with whether it was stored.
     */
    async recordAttempt(
      { id, attempts }: Pick<Row<'webhook_deliveries'>, 'id' | 'attempts'>,
      change: RowChange<'webhook_deliveries'>,
    ): Promise<boolean> {
      const { numUpdatedRows } = await db
        .updateTable('webhook_deliveries')
        .set({ ...change, attempts: attempts + 1 })
        .where('id', '=', id)
        .where('status', '=', 'pending')
        .where('attempts', '=', attempts)
        .executeTakeFirst();
      return numUpdatedRows > 0n;
    },
    /** Active webhooks only. */
    async listIdsWithDueDeliveries(nowMs: number): Promise<string[]> {
      const rows = await db
        .selectFrom('webhooks')
        .select('id')
        .where('is_active', '=', 1)
        .where((eb) =>
          eb.exists(
            eb
              .selectFrom('webhook_deliveries')
              .select('webhook_id')
              .whereRef('webhook_id', '=', 'webhooks.id')
              .where('status', '=', 'pending')
              .where('next_attempt_at', '<=', nowMs),
          ),
        )
        .execute();
      return rows.map((row) => row.id);
    },
    /**
     * The oldest due delivery of the webhook that is not blocked by an earlier one about the same resource, so that
     * deliveries about one resource arrive in order.
     */
    async nextDue(webhookId: string, nowMs: number): Promise<Delivery | undefined> {
      const pending = sql<SqlBool>`webhook_id = ${webhookId} and status = 'pending'`;
      const heads = engineOf(db).leastOfEach({
        table: 'webhook_deliveries',
        where: pending,
        group: 'resource',
        order: 'seq',
        value: 'next_attempt_at',
      });
      const { rows } = await sql<Delivery>`select * from webhook_deliveries
        where ${pending} and next_attempt_at <= ${nowMs} and seq = (
          select min(seq) from ${heads} where next_attempt_at <= ${nowMs}
        ) limit 1`.execute(db);
      return rows[0];
    },
    /** Fails a batch of pending deliveries; call it until it returns false. */
    async failPendingBatch(webhookId: string, error: string, nowMs: number): Promise<boolean> {
      const some = await db
        .selectFrom('webhook_deliveries')
        .select(['id', 'bytes'])
        .where('webhook_id', '=', webhookId)
        .where('status', '=', 'pending')
        .orderBy('created_at')
        .orderBy('id')
        .limit(BATCH_LIMITS.maxCount)
        .execute();
      const ids = idsWithinLimits(some, BATCH_LIMITS);
      if (ids.length === 0) {
        return false;
      }
      await db
        .updateTable('webhook_deliveries')
        .set({ status: 'failed', error, next_attempt_at: null, finished_at: nowMs })
        .where('id', 'in', ids)
        .execute();
      return true;
    },
    /**
     * Deletes a batch of finished deliveries: the oldest beyond the limits, and those created before the timestamp.
     * Call it until it returns false.
     */
    async deleteFinishedBatch(webhookId: string, beforeMs: number): Promise<boolean> {
      const finishedTotals = await totalsByStatus(webhookId, FINISHED_STATUSES);
      const oldest = await db
        .selectFrom('webhook_deliveries')
        .select(['id', 'bytes', 'created_at'])
        .where('webhook_id', '=', webhookId)
        .where('status', '!=', 'pending')
        .orderBy('created_at')
        .orderBy('id')
        .limit(BATCH_LIMITS.maxCount)
        .execute();
      let { n, bytes } = finishedTotals;
      const deletable = oldest.filter((row) => {
        const isOver = n > limits.maxCount || bytes > limits.maxBytes || row.created_at < beforeMs;
        n -= 1;
        bytes -= row.bytes;
        return isOver;
      });
      const ids = idsWithinLimits(deletable, BATCH_LIMITS);
      if (ids.length === 0) {
        return false;
      }
      await db.deleteFrom('webhook_deliveries').where('id', 'in', ids).execute();
      return true;
    },
    async ids(): Promise<string[]> {
      const rows = await db.selectFrom('webhooks').select('id').execute();
      return rows.map((row) => row.id);
    },
  };
}

/** Ids of the first rows within the limits, but at least one. */
function idsWithinLimits(
  rows: readonly Pick<Delivery, 'id' | 'bytes'>[],
  { maxCount, maxBytes }: DeliveryLimits,
): string[] {
  let remainingBytes = maxBytes;
  const some = rows
    .slice(0, maxCount)
    .filter((row, index) => (remainingBytes -= row.bytes) >= 0 || index === 0);
  return some.map((row) => row.id);
}
