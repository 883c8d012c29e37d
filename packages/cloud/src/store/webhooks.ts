import { sql } from 'kysely';
import type { Notice } from '../domain/events.ts';
import type { Db } from './database.ts';
import { offsetOf, pageOf } from './paging.ts';
import type { Page, Paging } from './paging.ts';
import type { NewRow, Row } from './schema.ts';

type WebhookChange = { [K in keyof Omit<Row<'webhooks'>, 'id'>]?: Row<'webhooks'>[K] | undefined };
type DeliveryChange = {
  [K in keyof Omit<Row<'webhook_deliveries'>, 'id'>]?: Row<'webhook_deliveries'>[K] | undefined;
};

export interface DeliveryFilter extends Paging {
  status?: Row<'webhook_deliveries'>['status'] | undefined;
}

type Delivery = Row<'webhook_deliveries'>;
type NewDelivery = Omit<Delivery, 'seq'>;

/** What a delivery is to tell. */
export interface DeliveryAbout {
  id: string;
  webhookId: string;
  type: string;
  resource: string;
  data: Readonly<Record<string, unknown>>;
}

/** How much is held for one webhook: of what waits, and as much again of what is over. */
export interface DeliveryLimits {
  most: number;
  mostBytes: number;
}

const LIMITS: DeliveryLimits = { most: 10_000, mostBytes: 256 * 2 ** 20 };
/** What one statement deletes or changes: everybody else waits for so much. */
const STEP: DeliveryLimits = { most: 500, mostBytes: 16 * 2 ** 20 };
/** Payloads of one page of the list. */
const MOST_BYTES_OF_A_PAGE = 8 * 2 ** 20;
const FINISHED = ['succeeded', 'failed'] as const;
const COLUMNS = [
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

const payloadOf = (type: string, atMs: number, data: object): string =>
  JSON.stringify({ type, timestamp: new Date(atMs).toISOString(), data });

/** A new delivery that waits to be sent. */
function pendingDelivery({ id, webhookId, type, resource, data }: DeliveryAbout, nowMs: number): NewDelivery {
  const payload = payloadOf(type, nowMs, data);
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

/** The same one when too much waits already: it is not sent, and holds no more than ids. */
function droppedDelivery(about: DeliveryAbout, nowMs: number, limits: DeliveryLimits): NewDelivery {
  const data = Object.fromEntries(
    Object.entries(about.data).flatMap(([name, value]) =>
      typeof value === 'object' && value !== null && 'id' in value ? [[name, { id: value.id }]] : [],
    ),
  );
  return {
    ...pendingDelivery({ ...about, data }, nowMs),
    status: 'failed',
    next_attempt_at: null,
    error:
      `Not sent: ${limits.most} notifications, or ${Math.round(limits.mostBytes / 2 ** 20)} MB of them, wait for ` +
      'this webhook already. Let its receiver answer, and read from the API what has changed.',
    finished_at: nowMs,
  };
}

/** Who is notified of what, and what is still to be sent. */
export function webhookRepository(db: Db, limits = LIMITS) {
  /** How many deliveries of the webhook are in these states, and the bytes of their payloads. */
  const heldIn = async (webhookId: string, states: readonly Delivery['status'][]) =>
    db
      .selectFrom('webhook_deliveries')
      .select((eb) => [
        eb.fn.countAll<number>().as('n'),
        eb.fn.coalesce(eb.fn.sum<number>('bytes'), eb.val(0)).as('bytes'),
      ])
      .where('webhook_id', '=', webhookId)
      .where('status', 'in', states)
      .executeTakeFirstOrThrow();

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
        await this.insertDelivery({ ...notice, id: newId(), webhookId: hook.id }, nowMs);
      return wanting.length;
    },
    /** Writes a delivery down. It is not to be sent when too much waits for the webhook already. */
    async insertDelivery(about: DeliveryAbout, nowMs: number): Promise<NewDelivery> {
      const wanted = pendingDelivery(about, nowMs);
      const waiting = await heldIn(about.webhookId, ['pending']);
      const isOver = waiting.n >= limits.most || waiting.bytes + wanted.bytes > limits.mostBytes;
      const row = isOver ? droppedDelivery(about, nowMs, limits) : wanted;
      const last = (status: Delivery['status']) =>
        sql`coalesce((select max(seq) from webhook_deliveries
          where webhook_id = ${row.webhook_id} and status = ${status}), 0)`;
      const seq = sql<number>`max(${last('pending')}, ${last('succeeded')}, ${last('failed')}) + 1`;
      await db
        .insertInto('webhook_deliveries')
        .values({ ...row, seq })
        .execute();
      return row;
    },
    /** A page of the list, newest first. Of its payloads 8 MiB are read; those beyond are told without their data. */
    async listDeliveries(
      webhookId: string,
      filter: DeliveryFilter,
    ): Promise<Page<Omit<Delivery, 'seq' | 'resource' | 'bytes'>>> {
      const wanted = db
        .selectFrom('webhook_deliveries')
        .where('webhook_id', '=', webhookId)
        .$if(filter.status !== undefined, (query) => query.where('status', '=', filter.status ?? 'pending'));
      const places = await wanted
        .select(['id', 'bytes'])
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(filter.limit)
        .offset(offsetOf(filter))
        .execute();
      const { total } = await wanted
        .select((eb) => eb.fn.countAll<number>().as('total'))
        .executeTakeFirstOrThrow();
      const rows = [];
      let left = MOST_BYTES_OF_A_PAGE;
      for (const { id, bytes } of places) {
        left -= bytes;
        const one = db.selectFrom('webhook_deliveries').select(COLUMNS).where('id', '=', id);
        const { payload, ...row } = await one
          .$if(left >= 0, (query) => query.select('payload'))
          .executeTakeFirstOrThrow();
        rows.push({ ...row, payload: payload ?? payloadOf(row.event_type, row.created_at, {}) });
      }
      return { rows, total };
    },
    async findDelivery(id: string): Promise<Row<'webhook_deliveries'> | undefined> {
      return db.selectFrom('webhook_deliveries').selectAll().where('id', '=', id).executeTakeFirst();
    },
    async updateDelivery(id: string, change: DeliveryChange): Promise<void> {
      await db.updateTable('webhook_deliveries').set(change).where('id', '=', id).execute();
    },
    /** Webhooks that have something to send now. */
    async withWork(nowMs: number): Promise<string[]> {
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
     * The oldest delivery of the webhook that is due, and that no earlier one about the same resource holds
     * up: so what is about one thing arrives in order.
     */
    async nextDue(webhookId: string, nowMs: number): Promise<Delivery | undefined> {
      // A column beside `min` is of the row that has it.
      const { rows } = await sql<Delivery>`select * from webhook_deliveries
        where webhook_id = ${webhookId} and status = 'pending' and next_attempt_at <= ${nowMs} and seq = (
          select min(seq) from (
            select min(seq) as seq, next_attempt_at from webhook_deliveries
            where webhook_id = ${webhookId} and status = 'pending' group by resource
          ) where next_attempt_at <= ${nowMs}
        ) limit 1`.execute(db);
      return rows[0];
    },
    /** Gives up some of what waits for the webhook; true when there is more. To be called until there is none. */
    async failSomePending(webhookId: string, error: string, nowMs: number): Promise<boolean> {
      const some = await db
        .selectFrom('webhook_deliveries')
        .select(['id', 'bytes'])
        .where('webhook_id', '=', webhookId)
        .where('status', '=', 'pending')
        .orderBy('created_at')
        .orderBy('id')
        .limit(STEP.most)
        .execute();
      const ids = upTo(some, STEP);
      if (ids.length === 0) return false;
      await db
        .updateTable('webhook_deliveries')
        .set({ status: 'failed', error, next_attempt_at: null, finished_at: nowMs })
        .where('id', 'in', ids)
        .execute();
      return true;
    },
    /**
     * Deletes some of what is over: the oldest beyond the limits, and what was written down before the instant. True
     * when there may be more. To be called until there is none.
     */
    async deleteSomeFinished(webhookId: string, beforeMs: number): Promise<boolean> {
      const held = await heldIn(webhookId, FINISHED);
      const oldest = await db
        .selectFrom('webhook_deliveries')
        .select(['id', 'bytes', 'created_at'])
        .where('webhook_id', '=', webhookId)
        .where('status', '!=', 'pending')
        .orderBy('created_at')
        .orderBy('id')
        .limit(STEP.most)
        .execute();
      let { n, bytes } = held;
      const over = oldest.filter((row) => {
        const isOver = n > limits.most || bytes > limits.mostBytes || row.created_at < beforeMs;
        n -= 1;
        bytes -= row.bytes;
        return isOver;
      });
      const ids = upTo(over, STEP);
      if (ids.length === 0) return false;
      await db.deleteFrom('webhook_deliveries').where('id', 'in', ids).execute();
      return true;
    },
    /** All webhooks there are. */
    async ids(): Promise<string[]> {
      const rows = await db.selectFrom('webhooks').select('id').execute();
      return rows.map((row) => row.id);
    },
  };
}

/** The first rows, as many as may be dealt with at once; at least one. */
function upTo(
  rows: readonly Pick<Delivery, 'id' | 'bytes'>[],
  { most, mostBytes }: DeliveryLimits,
): string[] {
  let left = mostBytes;
  const some = rows.slice(0, most).filter((row, index) => (left -= row.bytes) >= 0 || index === 0);
  return some.map((row) => row.id);
}
