import { commandName, LIMITS } from '@placard/protocol';
import type { CommandName, DeviceTaskName } from '@placard/protocol';
import type { CommandStatus } from '@placard/protocol/api';
import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import { DAY_MS } from '../domain/durations.ts';
import type { Db } from './db.ts';
import { deleteInBatches } from './delete-in-batches.ts';
import { countRows, findById, selectPage } from './paging.ts';
import type { ListQuery } from './list-part.ts';
import type { Page } from './paging.ts';
import type { NewRow, Row, RowChange } from './schema.ts';

export interface CommandFilter extends ListQuery {
  device_id?: string | undefined;
  status?: CommandStatus | undefined;
  command?: CommandName | undefined;
}

/** A command that a customer has sent, not what the cloud itself asks of a device, such as a screenshot. */
export type CommandRow = Row<'commands'> & { command: CommandName };

const CUSTOMER_COMMANDS: ReadonlySet<string> = new Set(commandName.options);
const OF_CUSTOMERS = sql<SqlBool>`command in (${sql.join(commandName.options)})`;

export const isCustomerCommand = (row: Row<'commands'>): row is CommandRow =>
  CUSTOMER_COMMANDS.has(row.command);

const OPEN_STATUSES = ['queued', 'delivered', 'acknowledged'] as const;

export function commandRepository(db: Db) {
  return {
    /** Those of customers. */
    async list(filter: CommandFilter): Promise<Page<CommandRow>> {
      const { device_id, status, command } = filter;
      const page = await selectPage(db, 'commands', filter, {
        equal: { device_id, status, command },
        and: [OF_CUSTOMERS],
      });
      return { ...page, rows: page.rows.filter(isCustomerCommand) };
    },
    /** The last task of this kind that a device was given. */
    findLastTask: (deviceId: string, task: DeviceTaskName): Promise<Row<'commands'> | undefined> =>
      db
        .selectFrom('commands')
        .selectAll()
        .where('device_id', '=', deviceId)
        .where('command', '=', task)
        .orderBy('created_at', 'desc')
        .orderBy('id', 'desc')
        .limit(1)
        .executeTakeFirst(),
    find: (id: string) => findById(db, 'commands', id),
    async insert(row: NewRow<'commands'>): Promise<void> {
      await db.insertInto('commands').values(row).execute();
    },
    async update(id: string, change: RowChange<'commands'>): Promise<void> {
      await db.updateTable('commands').set(change).where('id', '=', id).execute();
    },
    /** The oldest commands that the device has not acknowledged and may still run, oldest first. */
    async listPending(deviceId: string, nowMs: number): Promise<Row<'commands'>[]> {
      return db
        .selectFrom('commands')
        .selectAll()
        .where('device_id', '=', deviceId)
        .where('status', 'in', ['queued', 'delivered'])
        .where('expires_at', '>', nowMs)
        .orderBy('created_at')
        .orderBy('id')
        .limit(LIMITS.openCommands)
        .execute();
    },
    /** Commands that expired before the device acknowledged them. */
    async listExpired(nowMs: number, limit: number): Promise<Row<'commands'>[]> {
      return db
        .selectFrom('commands')
        .selectAll()
        .where('status', 'in', ['queued', 'delivered'])
        .where('expires_at', '<=', nowMs)
        .limit(limit)
        .execute();
    },
    /**
     * Number of unfinished commands of customers to the device. An acknowledged one counts until a day after its expiry, so
     * that a device that never reports a result does not block further commands.
     */
    countOpen: (deviceId: string, nowMs: number): Promise<number> =>
      countRows(db, 'commands', {
        equal: { device_id: deviceId },
        and: [sql`status in (${sql.join(OPEN_STATUSES)})`, sql`expires_at > ${nowMs - DAY_MS}`, OF_CUSTOMERS],
      }),
    /** Fails all unfinished commands of a device that is removed. */
    async failOpen(deviceId: string, result: string, nowMs: number): Promise<void> {
      await db
        .updateTable('commands')
        .set({ status: 'failed', finished_at: nowMs, result })
        .where('device_id', '=', deviceId)
        .where('status', 'in', OPEN_STATUSES)
        .execute();
    },
    /** Deletes, in batches, commands created before the timestamp, except those that wait for an acknowledgement. */
    async deleteBefore(beforeMs: number): Promise<void> {
      await deleteInBatches(
        db,
        'commands',
        sql<SqlBool>`created_at < ${beforeMs} and status not in ('queued', 'delivered')`,
      );
    },
  };
}
