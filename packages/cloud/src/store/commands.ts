import type { CommandName } from '@placard/protocol';
import type { CommandStatus } from '@placard/protocol/api';
import type { Db } from './database.ts';
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
    /** Commands whose time is over before the device took them on. */
    async overdue(nowMs: number): Promise<Row<'commands'>[]> {
      return db
        .selectFrom('commands')
        .selectAll()
        .where('status', 'in', ['queued', 'delivered'])
        .where('expires_at', '<=', nowMs)
        .execute();
    },
    async openOf(deviceId: string): Promise<Row<'commands'>[]> {
      return db
        .selectFrom('commands')
        .selectAll()
        .where('device_id', '=', deviceId)
        .where('status', 'in', ['queued', 'delivered', 'acknowledged'])
        .execute();
    },
  };
}
