import { sql } from 'kysely';
import type { Db } from './db.ts';
import { queryInBatches } from './paging.ts';
import type { Row, RowChange } from './schema.ts';

type MailRow = Row<'alert_mails'>;
export type AlertMailKey = Pick<MailRow, 'alert_id' | 'step' | 'recipient'>;

/** Mails about alerts: one for each step of an alert and each recipient. */
export function alertMailRepository(db: Db) {
  return {
    /** Queues a mail about a step to each recipient that has none; within the transaction of the step. */
    async enqueue(
      { alert_id, step, language }: Pick<MailRow, 'alert_id' | 'step' | 'language'>,
      recipients: readonly string[],
      nowMs: number,
    ): Promise<void> {
      if (recipients.length > 0) {
        const common = { alert_id, step, language, status: 'pending', attempts: 0 } as const;
        const rows = recipients.map((recipient) => ({
          ...common,
          recipient,
          next_attempt_at: nowMs,
          error: null,
          created_at: nowMs,
          finished_at: null,
        }));
        await db
          .insertInto('alert_mails')
          .values(rows)
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      }
    },
    /** By alert: who was mailed, or is to be, that it is still open. */
    async escalatedTo(alertIds: readonly string[]): Promise<Map<string, Set<string>>> {
      const found = await queryInBatches(alertIds, (slice) =>
        db
          .selectFrom('alert_mails')
          .select(['alert_id', 'recipient'])
          .where('alert_id', 'in', slice)
          .where('step', '=', 'escalated')
          .execute(),
      );
      const byAlert = Map.groupBy(found, ({ alert_id }) => alert_id);
      return new Map(
        [...byAlert].map(([id, rows]) => [id, new Set(rows.map(({ recipient }) => recipient))] as const),
      );
    },
    /** Queues a mail to whoever was mailed, or is to be, that the alert was opened or is still open. */
    async enqueueResolved(alertId: string, nowMs: number): Promise<void> {
      await sql`insert into alert_mails (alert_id, step, recipient, language, status, attempts, next_attempt_at, created_at)
        select alert_id, 'resolved', recipient, max(language), 'pending', 0, ${sql.val(nowMs)}, ${sql.val(nowMs)} from alert_mails
        where alert_id = ${alertId} and step <> 'resolved' group by alert_id, recipient`.execute(db);
    },
    /** The mails that have been due for longest. That an alert is resolved is not mailed before what came earlier. */
    async listDue(nowMs: number, limit: number): Promise<MailRow[]> {
      const { rows } = await sql<MailRow>`select * from alert_mails as mail
        where status = 'pending' and next_attempt_at <= ${nowMs} and not (step = 'resolved' and exists (
          select 1 from alert_mails as first where first.alert_id = mail.alert_id and first.recipient = mail.recipient
            and first.step <> 'resolved' and first.status = 'pending'))
        order by next_attempt_at, created_at, step limit ${limit}`.execute(db);
      return rows;
    },
    /** Changes a mail that waits, unless it was tried again meanwhile. */
    async recordAttempt(
      { alert_id, step, recipient, attempts }: AlertMailKey & Pick<MailRow, 'attempts'>,
      change: RowChange<'alert_mails'>,
    ): Promise<void> {
      await db
        .updateTable('alert_mails')
        .set({ ...change, attempts: attempts + 1 })
        .where('alert_id', '=', alert_id)
        .where('step', '=', step)
        .where('recipient', '=', recipient)
        .where('status', '=', 'pending')
        .where('attempts', '=', attempts)
        .execute();
    },
    async ofAlert(alertId: string): Promise<MailRow[]> {
      return db
        .selectFrom('alert_mails')
        .selectAll()
        .where('alert_id', '=', alertId)
        .orderBy('step')
        .orderBy('recipient')
        .execute();
    },
    async deleteOf(alertId: string): Promise<void> {
      await db.deleteFrom('alert_mails').where('alert_id', '=', alertId).execute();
    },
  };
}
