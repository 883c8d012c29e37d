import type { AuditChange } from '@placard/protocol/api';
import { sql } from 'kysely';
import type { Expression, SqlBool } from 'kysely';
import type { Db } from './db.ts';
import { selectPage } from './paging.ts';
import type { ListQuery } from './list-part.ts';
import type { Page } from './paging.ts';
import type { NewRow, Row } from './schema.ts';

export interface AuditFilter extends ListQuery {
  resource_type?: string | undefined;
  resource_id?: string | undefined;
  actor_id?: string | undefined;
  action?: string | undefined;
  /** Milliseconds, inclusive. */
  fromMs?: number | undefined;
  /** Milliseconds, exclusive. */
  toMs?: number | undefined;
}

export type NewAuditEntry = Omit<NewRow<'audit_log'>, 'changes'> & { changes: readonly AuditChange[] };

const DELETED_AT_ONCE = 200;

/** Who changed what. Rows are only inserted, and deleted after the retention period; triggers prevent anything else. */
export function auditRepository(db: Db) {
  return {
    async append({ changes, ...row }: NewAuditEntry): Promise<void> {
      await db
        .insertInto('audit_log')
        .values({ ...row, changes: JSON.stringify(changes) })
        .execute();
    },
    list({ fromMs, toMs, ...filter }: AuditFilter): Promise<Page<Row<'audit_log'>>> {
      const and: Expression<SqlBool>[] = [];
      if (fromMs !== undefined) {
        and.push(sql<SqlBool>`created_at >= ${fromMs}`);
      }
      if (toMs !== undefined) {
        and.push(sql<SqlBool>`created_at < ${toMs}`);
      }
      const { resource_type, resource_id, actor_id, action } = filter;
      const equal = { resource_type, resource_id, actor_id, action };
      return selectPage(db, 'audit_log', filter, { equal, and });
    },
    /** Whether there is an entry of this action, by whom and on what, after the timestamp. */
    async hasEntry(
      { action, actor_id, resource_id }: Pick<Row<'audit_log'>, 'action' | 'actor_id' | 'resource_id'>,
      afterMs: number,
    ): Promise<boolean> {
      const row = await db
        .selectFrom('audit_log')
        .select('id')
        .where('resource_id', '=', resource_id)
        .where('created_at', '>', afterMs)
        .where('actor_id', '=', actor_id)
        .where('action', '=', action)
        .limit(1)
        .executeTakeFirst();
      return row !== undefined;
    },
    /**
     * Must run in a transaction: raises the deletion limit that the triggers check, then deletes some of the older entries.
     * Call it until it returns false.
     */
    async deleteBatch(beforeMs: number): Promise<boolean> {
      await db
        .updateTable('audit_retention')
        .set({ delete_before: beforeMs })
        .where('delete_before', '<', beforeMs)
        .execute();
      const { numAffectedRows } = await sql`delete from audit_log where id in (
        select id from audit_log where created_at < ${beforeMs} limit ${DELETED_AT_ONCE})`.execute(db);
      return numAffectedRows === BigInt(DELETED_AT_ONCE);
    },
  };
}
