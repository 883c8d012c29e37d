import type { CommandName } from '@placard/protocol';
import type { CommandStatus } from '@placard/protocol/api';
import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { Db } from './database.ts';
import { deleteInSlices } from './delete-in-slices.ts';
import { pageOf } from './paging.ts';
import type { Page, Paging } from './paging.ts';
import type { NewRow, Row } from './schema.ts';

type CommandChange = { [K in keyof Omit<Row<'commands'>, 'id'>]?: Row<'commands'>[K] | undefined };

export interface CommandFilter extends Paging {
  deviceId?: string | undefined;
  status?: CommandStatus | undefined;
  command?: CommandName | undefined;
}

/** Commands that are told to a device in one go; the others follow when those are acknowledged. */
const MOST_WAITING = 100;
const DAY_MS = 86_400_000;
const OPEN = ['queued', 'delivered', 'acknowledged'] as const;

export function commandRepository(db: Db) {
  return {
    list: (filter: CommandFilter): Promise<Page<Row<'commands'>>> => {
      const { deviceId, status, command } = filter;
      return pageOf(db, 'commands', filter, { equal: { device_id: deviceId, status, command } });
    },
    async find(id: string): Promise<Row<'commands'> | undefined> {
      return db.selectFrom('commands').selectAll().where('id', '=', id).executeTakeFirst();
    },
    async insert(row: NewRow<'commands'>): Promise<void> {
      await db.insertInto('commands').values(row).execute();
    },
    async update(id: string, change: CommandChange): Promise<void> {
      await db.updateTable('commands').set(change).where('id', '=', id).execute();
    },
    /** Commands that the device has not acknowledged and may still run: the oldest, oldest first. */
    async waiting(deviceId: string, nowMs: number): Promise<Row<'commands'>[]> {
      return db
        .selectFrom('commands')
        .selectAll()
        .where('device_id', '=', deviceId)
        .where('status', 'in', ['queued', 'delivered'])
        .where('expires_at', '>', nowMs)
        .orderBy('created_at')
        .orderBy('id')
        .limit(MOST_WAITING)
        .execute();
    },
    /** Commands whose time is over before the device took them on: at most so many. */
    async overdue(nowMs: number, limit: number): Promise<Row<'commands'>[]> {
      return db
        .selectFrom('commands')
        .selectAll()
        .where('status', 'in', ['queued', 'delivered'])
        .where('expires_at', '<=', nowMs)
        .limit(limit)
        .execute();
    },
    /**
     * How many commands of the device have not ended. One that was acknowledged counts until a day after its time: a
     * device that never tells how it ended keeps no others out.
     */
    async open(deviceId: string, nowMs: number): Promise<number> {
      const { n } = await db
        .selectFrom('commands')
        .select((eb) => eb.fn.countAll<number>().as('n'))
        .where('device_id', '=', deviceId)
        .where('status', 'in', OPEN)
        .where('expires_at', '>', nowMs - DAY_MS)
        .executeTakeFirstOrThrow();
      return n;
    },
    /** Ends all commands of a device that goes away. */
    async failOpen(deviceId: string, result: string, nowMs: number): Promise<void> {
      await db
        .updateTable('commands')
        .set({ status: 'failed', finished_at: nowMs, result })
        .where('device_id', '=', deviceId)
        .where('status', 'in', OPEN)
        .execute();
    },
    /** Deletes what was sent before the instant and waits for nothing; others have their turn in between. */
    async deleteBefore(beforeMs: number): Promise<void> {
      await deleteInSlices(
        db,
        'commands',
        sql<SqlBool>`created_at < ${beforeMs} and status not in ('queued', 'delivered')`,
      );
    },
  };
}
