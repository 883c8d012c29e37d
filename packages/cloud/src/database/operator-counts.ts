import { commandName } from '@placard/protocol';
import { sql } from 'kysely';
import type { Db } from './db.ts';

/** Rows counted in one statement: a few milliseconds, in which all other work waits. */
const BATCH_ROWS = 2_000;

/** What operators watch. Ages are the times from which they are counted, null when nothing waits. */
export interface OperatorCounts {
  online: number;
  offline: number;
  /** Screens whose last heartbeat reported a fault. */
  withFaults: number;
  assets: number;
  /** Sizes of all assets; bytes that two of them share count twice. */
  assetBytes: number;
  activeWebhooks: number;
  disabledWebhooks: number;
  /** Also of disabled webhooks, where they wait. */
  pendingDeliveries: number;
  /** When the oldest event was recorded that an active webhook has not got yet. */
  oldestUndeliveredMs: number | null;
  /** When the delivery of an active webhook that is due for longest should have been attempted; may be in the future. */
  earliestDueMs: number | null;
  /** Commands that their device has not acknowledged. */
  pendingCommands: number;
  oldestCommandMs: number | null;
  /** Operations on many devices whose devices are still being collected. */
  selectingOperations: number;
  runningOperations: number;
  /** Devices of these operations that have no result yet. */
  pendingResults: number;
  oldestOperationMs: number | null;
}

interface Batch {
  /** The key of its last row; null for no row. */
  last: number | string | null;
  rows: number;
}

/** Counts for operators, in short statements with a yield after each: some tables have a row for each device. */
export function operatorCountRepository(db: Db, yieldTurn: () => Promise<void>) {
  const forEachBatch = async <T extends Batch>(
    first: number | string,
    read: (after: number | string) => Promise<T>,
    add: (batch: T) => void,
  ): Promise<void> => {
    for (let after: number | string | null = first; after !== null;) {
      const batch: T = await read(after);
      add(batch);
      after = batch.rows < BATCH_ROWS ? null : batch.last;
      await yieldTurn();
    }
  };

  const countScreens = async () => {
    let [online, withFaults] = [0, 0];
    await forEachBatch(
      0,
      async (after) => {
        const { rows } = await sql<Batch & { online: number; faulty: number }>`
          select max(device) as last, count(*) as rows, count(*) filter (where online = 1) as online,
            count(*) filter (where faults is not null and faults <> '[]') as faulty
          from (select device, online, faults from device_live where device > ${after}
            order by device limit ${BATCH_ROWS}) as batch`.execute(db);
        return rows[0]!;
      },
      (batch) => {
        online += batch.online;
        withFaults += batch.faulty;
      },
    );
    const { devices } = await db.selectFrom('device_count').select('devices').executeTakeFirstOrThrow();
    return { online, offline: Math.max(0, devices - online), withFaults };
  };

  const countAssets = async () => {
    let [assets, assetBytes] = [0, 0];
    await forEachBatch(
      '',
      async (after) => {
        const { rows } = await sql<Batch & { bytes: number }>`
          select max(id) as last, count(*) as rows, coalesce(sum(size), 0) as bytes
          from (select id, size from assets where id > ${after} order by id limit ${BATCH_ROWS}) as batch`.execute(
          db,
        );
        return rows[0]!;
      },
      ({ rows, bytes }) => {
        assets += rows;
        assetBytes += bytes;
      },
    );
    return { assets, assetBytes };
  };

  const countDeliveries = async () => {
    const webhooks = await db.selectFrom('webhooks').select(['id', 'is_active']).execute();
    let pendingDeliveries = 0;
    const [recordedAt, dueAt]: [number[], number[]] = [[], []];
    for (const { id, is_active } of webhooks) {
      const pending = db
        .selectFrom('webhook_deliveries')
        .where('webhook_id', '=', id)
        .where('status', '=', 'pending');
      const { n, due } = await pending
        .select((eb) => [eb.fn.countAll<number>().as('n'), eb.fn.min('next_attempt_at').as('due')])
        .executeTakeFirstOrThrow();
      const oldest = await pending.select('created_at').orderBy('seq').limit(1).executeTakeFirst();
      pendingDeliveries += n;
      // Those of the others wait until somebody activates their webhook.
      if (is_active === 1) {
        recordedAt.push(...(oldest ? [oldest.created_at] : []));
        dueAt.push(...(due === null ? [] : [due]));
      }
      await yieldTurn();
    }
    const activeWebhooks = webhooks.filter(({ is_active }) => is_active === 1).length;
    return {
      activeWebhooks,
      disabledWebhooks: webhooks.length - activeWebhooks,
      pendingDeliveries,
      oldestUndeliveredMs: earliest(recordedAt),
      earliestDueMs: earliest(dueAt),
    };
  };

  const countCommands = async () => {
    const { pendingCommands, oldestCommandMs } = await db
      .selectFrom('commands')
      .select((eb) => [
        eb.fn.countAll<number>().as('pendingCommands'),
        eb.fn.min('created_at').as('oldestCommandMs'),
      ])
      .where('status', 'in', ['queued', 'delivered'])
      .where('command', 'in', commandName.options)
      .executeTakeFirstOrThrow();
    return { pendingCommands, oldestCommandMs };
  };

  /** There are never more than a few unfinished operations, each with its own counters. */
  const countBulkOperations = async () => {
    const rows = await db
      .selectFrom('bulk_operations')
      .select(['status', 'total', 'succeeded', 'failed', 'created_at'])
      .where('status', 'in', ['selecting', 'running'])
      .execute();
    const selectingOperations = rows.filter(({ status }) => status === 'selecting').length;
    return {
      selectingOperations,
      runningOperations: rows.length - selectingOperations,
      pendingResults: rows.reduce((sum, row) => sum + row.total - row.succeeded - row.failed, 0),
      oldestOperationMs: earliest(rows.map((row) => row.created_at)),
    };
  };

  return {
    async count(): Promise<OperatorCounts> {
      return {
        ...(await countScreens()),
        ...(await countAssets()),
        ...(await countDeliveries()),
        ...(await countCommands()),
        ...(await countBulkOperations()),
      };
    },
  };
}

const earliest = (times: readonly number[]): number | null =>
  times.length === 0 ? null : times.reduce((least, each) => Math.min(least, each));
