import type { RolloutCause, RolloutFilter } from '@placard/protocol/api';
import { sql } from 'kysely';
import { kindFields } from '../domain/rollout-kind.ts';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';
import type { ListQuery } from './list-part.ts';
import { countRows, deleteById, findById, selectPage } from './paging.ts';
import type { Page } from './paging.ts';
import type { NewRow, Row, RowChange } from './schema.ts';

export type RolloutRow = Row<'rollouts'>;

export interface RolloutQuery extends ListQuery {
  status?: RolloutRow['status'] | undefined;
}

const UNFINISHED = ['selecting', 'running', 'held'] as const;
/** Rollouts whose devices are counted at once. */
const COUNTED_AT_ONCE = 20;

export const ringsOf = (row: Pick<RolloutRow, 'rings'>): number[] => JSON.parse(row.rings);
export const rolloutFilterOf = (row: Pick<RolloutRow, 'filter'>): RolloutFilter => JSON.parse(row.filter);
/** Whether a rollout ended so that devices update of their own accord again: also those outside a filter would. */
export const endsHold = (row: Pick<RolloutRow, 'status' | 'filter'>): boolean =>
  row.status === 'finished' && Object.keys(rolloutFilterOf(row)).length === 0;
/** What a rollout that has this cause is changed to. */
export const storedCause = (cause: RolloutCause) => ({ reason: JSON.stringify(cause) });
/** Null also for one whose reason was stored as a sentence, as it was at first. */
export function causeOf({ reason }: Pick<RolloutRow, 'reason'>): RolloutCause | null {
  const cause: RolloutCause | null = reason?.startsWith('{') ? JSON.parse(reason) : null;
  // Earlier versions stored the kind alone, without its parts.
  return cause && 'kind' in cause ? { ...cause, ...kindFields(cause.kind) } : cause;
}

/** Rollouts of player versions; their devices are in `rollout-devices.ts`. */
export function rolloutRepository(db: Db) {
  /**
   * The one that says that no device updates of its own accord: the newest, unless it has finished for all. One that has finished without
   * having updated a device is as if it had never been.
   */
  const findHolding = async (): Promise<RolloutRow | null> => {
    const { rows } = await sql<RolloutRow>`select * from rollouts where status <> 'finished' or exists (
      select 1 from rollout_devices where rollout_id = rollouts.id and rollout_devices.status = 'updated')
      order by created_at desc, id desc limit 1`.execute(db);
    return rows[0] === undefined || endsHold(rows[0]) ? null : rows[0];
  };

  return {
    findHolding,
    list: ({ status, ...query }: RolloutQuery): Promise<Page<RolloutRow>> =>
      selectPage(db, 'rollouts', query, { equal: { status } }),
    find: (id: string) => findById(db, 'rollouts', id),
    /** Within a transaction: whoever works on the rollout waits for its end. */
    async lock(id: string): Promise<RolloutRow | undefined> {
      const { rows } = await sql<RolloutRow>`select * from rollouts where id = ${id}
        ${engineOf(db).keepRows('rollouts')}`.execute(db);
      return rows[0];
    },
    unfinished: (): Promise<RolloutRow[]> =>
      db.selectFrom('rollouts').selectAll().where('status', 'in', UNFINISHED).orderBy('id').execute(),
    /** Those that ended since the time, some of whose told devices have not answered. */
    async awaiting(endedSinceMs: number): Promise<RolloutRow[]> {
      const { rows } =
        await sql<RolloutRow>`select * from rollouts where finished_at >= ${endedSinceMs} and exists (
        select 1 from rollout_devices where rollout_id = rollouts.id and rollout_devices.status = 'told') order by id`.execute(
          db,
        );
      return rows;
    },
    /** Ids of some that ended before the time, whose counts are not stored. */
    async uncounted(endedBeforeMs: number): Promise<string[]> {
      const rows = await db
        .selectFrom('rollouts')
        .select('id')
        .where('finished_at', '<', endedBeforeMs)
        .where('counts', 'is', null)
        .orderBy('id')
        .limit(COUNTED_AT_ONCE)
        .execute();
      return rows.map(({ id }) => id);
    },
    countUnfinished: (): Promise<number> =>
      countRows(db, 'rollouts', { and: [sql`status in (${sql.join(UNFINISHED)})`] }),
    async insert(row: NewRow<'rollouts'>): Promise<void> {
      await db.insertInto('rollouts').values(row).execute();
    },
    async update(id: string, change: RowChange<'rollouts'>): Promise<void> {
      await db.updateTable('rollouts').set(change).where('id', '=', id).execute();
    },
    delete: (id: string): Promise<void> => deleteById(db, 'rollouts', id),
    /** One that ended before the time, other than this one. Within a transaction, as `lock`. */
    async lockEndedBefore(beforeMs: number, exceptId: string): Promise<RolloutRow | undefined> {
      const { rows } =
        await sql<RolloutRow>`select * from rollouts where finished_at < ${beforeMs} and id <> ${exceptId}
        order by finished_at, id limit 1 ${engineOf(db).keepRows('rollouts')}`.execute(db);
      return rows[0];
    },
  };
}
