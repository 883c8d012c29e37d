import type { BulkAction, BulkFilter } from '@placard/protocol/api';
import { sql } from 'kysely';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';
import type { GivenColumn } from './engine/engine.ts';
import { offsetOf, partOf } from './list-part.ts';
import type { ListQuery } from './list-part.ts';
import { countRows, findById, selectPage, slicesOf, whereAll } from './paging.ts';
import type { Page } from './paging.ts';
import type { Row, RowChange } from './schema.ts';

type OperationRow = Row<'bulk_operations'>;
type ResultRow = Row<'bulk_results'>;

export interface OperationQuery extends ListQuery {
  status?: OperationRow['status'] | undefined;
}

export interface ResultQuery extends ListQuery {
  status?: ResultRow['status'] | undefined;
}

export interface NewOperation extends Pick<
  OperationRow,
  'id' | 'actor_type' | 'actor_id' | 'actor_name' | 'address' | 'request_id' | 'created_at'
> {
  action: BulkAction;
  /** Of the devices; null when they are named. */
  filter: BulkFilter | null;
  ids: readonly string[];
}

/** What came of a device. */
export interface DeviceOutcome {
  position: number;
  error: { code: string; message: string } | null;
  command_id: string | null;
  deployment_id: string | null;
}

const UNFINISHED = ['selecting', 'running'] as const;
const DELETED_AT_ONCE = 500;
/** Results of all operations together. */
const MAX_RESULTS = 1_000_000;

export const actionOf = (row: Pick<OperationRow, 'action'>): BulkAction => JSON.parse(row.action);
export const filterOf = (row: Pick<OperationRow, 'filter'>): BulkFilter | null =>
  row.filter === null ? null : JSON.parse(row.filter);

export function bulkOperationRepository(db: Db, maxResults = MAX_RESULTS) {
  return {
    list: ({ status, ...query }: OperationQuery): Promise<Page<OperationRow>> =>
      selectPage(db, 'bulk_operations', query, { equal: { status } }),
    find: (id: string) => findById(db, 'bulk_operations', id),
    /** Within a transaction: whoever works on the operation waits for its end. */
    async lock(id: string): Promise<OperationRow | undefined> {
      const { rows } = await sql<OperationRow>`select * from bulk_operations where id = ${id}
        ${engineOf(db).keepRows('bulk_operations')}`.execute(db);
      return rows[0];
    },
    /** Oldest first. */
    async unfinishedIds(): Promise<string[]> {
      const rows = await db
        .selectFrom('bulk_operations')
        .select('id')
        .where('status', 'in', UNFINISHED)
        .orderBy('created_at')
        .orderBy('id')
        .execute();
      return rows.map(({ id }) => id);
    },
    async insert({ action, filter, ids, ...row }: NewOperation): Promise<void> {
      await db
        .insertInto('bulk_operations')
        .values({
          ...row,
          action: JSON.stringify(action),
          filter: filter && JSON.stringify(filter),
          cursor: filter ? 'first' : null,
          status: filter ? 'selecting' : 'running',
          total: 0,
          succeeded: 0,
          failed: 0,
          told_at: row.created_at,
          finished_at: null,
        })
        .execute();
      await this.addDevices(row.id, ids);
    },
    async update(id: string, change: RowChange<'bulk_operations'>): Promise<void> {
      await db.updateTable('bulk_operations').set(change).where('id', '=', id).execute();
    },
    /** Adds devices for which nothing was done yet. */
    async addDevices(operationId: string, ids: readonly string[]): Promise<void> {
      const { total } = await db
        .selectFrom('bulk_operations')
        .select('total')
        .where('id', '=', operationId)
        .executeTakeFirstOrThrow();
      const given = ids.map((device_id, index) => ({ position: total + index, device_id }));
      for (const slice of slicesOf(given, 1000)) {
        await sql`insert into bulk_results (operation_id, position, device_id, status)
          select ${operationId}, position, device_id, 'pending' from ${engineOf(db).given([
            { name: 'position', type: 'bigint', values: slice.map(({ position }) => position) },
            { name: 'device_id', type: 'text', values: slice.map((each) => each.device_id) },
          ])}`.execute(db);
      }
      await this.update(operationId, { total: total + ids.length });
    },
    /** The next devices for which nothing was done yet. */
    async pending(operationId: string, limit: number): Promise<Pick<ResultRow, 'position' | 'device_id'>[]> {
      return db
        .selectFrom('bulk_results')
        .select(['position', 'device_id'])
        .where('operation_id', '=', operationId)
        .where('status', '=', 'pending')
        .orderBy('position')
        .limit(limit)
        .execute();
    },
    /** Stores what came of devices, and counts it. */
    async finishDevices(
      row: OperationRow,
      outcomes: readonly DeviceOutcome[],
      nowMs: number,
    ): Promise<OperationRow> {
      const column = (name: string, valueOf: (outcome: DeviceOutcome) => string | null): GivenColumn => ({
        name,
        type: 'text',
        values: outcomes.map(valueOf),
      });
      const positions = outcomes.map(({ position }) => position);
      if (outcomes.length > 0) {
        // The range keeps SQLite from comparing every device of the operation with each of these.
        await sql`update bulk_results set status = given.status, error_code = given.error_code,
          error_message = given.error_message, command_id = given.command_id, deployment_id = given.deployment_id,
          finished_at = ${nowMs}
          from ${engineOf(db).given([
            { name: 'position', type: 'bigint', values: positions },
            column('status', ({ error }) => (error ? 'failed' : 'succeeded')),
            column('error_code', ({ error }) => error?.code ?? null),
            column('error_message', ({ error }) => error?.message ?? null),
            column('command_id', ({ command_id }) => command_id),
            column('deployment_id', ({ deployment_id }) => deployment_id),
          ])} where operation_id = ${row.id} and bulk_results.position = given.position
            and bulk_results.position between ${Math.min(...positions)} and ${Math.max(...positions)}`.execute(
          db,
        );
      }
      const failures = outcomes.filter(({ error }) => error !== null).length;
      const counts = {
        succeeded: row.succeeded + outcomes.length - failures,
        failed: row.failed + failures,
      };
      await this.update(row.id, counts);
      return { ...row, ...counts };
    },
    async results(
      { id, total, succeeded, failed }: OperationRow,
      query: ResultQuery,
    ): Promise<Page<ResultRow>> {
      const { status } = query;
      const part = partOf(db, 'bulk_results', { ...query, sort: 'position' }, 'device_id');
      const counts = { pending: total - succeeded - failed, succeeded, failed };
      const matching = status === undefined ? total : counts[status];
      if (part.isCounted && matching <= offsetOf(query)) {
        return { rows: [], total: matching, nextCursor: null };
      }
      const conditions = whereAll<'bulk_results'>({ equal: { operation_id: id, status }, and: part.and });
      const { rows } = await sql<ResultRow>`select * from bulk_results where ${conditions}
        ${part.orderBy} ${part.range}`.execute(db);
      return { ...part.cut(rows), total: part.isCounted ? matching : null };
    },
    countUnfinished: (): Promise<number> =>
      countRows(db, 'bulk_operations', { and: [sql`status in (${sql.join(UNFINISHED)})`] }),
    /**
     * Deletes some of the results of the oldest operation that finished before the time, or while there are too many
     * results; then the operation. Call it until it returns false.
     */
    async deleteBatch(beforeMs: number): Promise<boolean> {
      const { rows } = await sql<{ id: string }>`select id from bulk_operations where finished_at is not null
        and (finished_at < ${beforeMs} or (select sum(total) from bulk_operations) > ${maxResults})
        order by finished_at, id limit 1`.execute(db);
      const [oldest] = rows;
      if (!oldest) {
        return false;
      }
      const { numAffectedRows } =
        await sql`delete from bulk_results where operation_id = ${oldest.id} and position in (
        select position from bulk_results where operation_id = ${oldest.id} limit ${DELETED_AT_ONCE})`.execute(
          db,
        );
      if ((numAffectedRows ?? 0n) === 0n) {
        await db.deleteFrom('bulk_operations').where('id', '=', oldest.id).execute();
      }
      return true;
    },
  };
}
