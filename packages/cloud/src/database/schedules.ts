import { targetKey } from '@placard/schedule';
import type { Target } from '@placard/schedule';
import type { StoredRule } from '../domain/schedule-rules.ts';
import type { Db } from './open-database.ts';
import { countRows, groupRowsBy, queryInBatches, selectPage } from './paging.ts';
import type { Page, Paging } from './paging.ts';
import type { NewRow, Row } from './schema.ts';

export type RuleRow = Row<'schedule_rules'>;
export interface ScheduleSummaryRow extends Row<'schedules'> {
  targets: Target[];
  rule_count: number;
}
export interface ScheduleRow extends ScheduleSummaryRow {
  rules: RuleRow[];
}

interface TargetColumns {
  kind: Target['type'];
  ref: string;
}

export function toTarget({ kind, ref }: TargetColumns): Target {
  return kind === 'tag' ? { type: kind, value: ref } : { type: kind, id: ref };
}

export function toTargetColumns(target: Target): TargetColumns {
  return { kind: target.type, ref: target.type === 'tag' ? target.value : target.id };
}

export function scheduleRepository(db: Db) {
  const targetsOf = async (ids: readonly string[]): Promise<(id: string) => Target[]> => {
    const targets = await queryInBatches(ids, (slice) =>
      db
        .selectFrom('schedule_targets')
        .selectAll()
        .where('schedule_id', 'in', slice)
        .orderBy('schedule_id')
        .orderBy('position')
        .execute(),
    );
    const groups = groupRowsBy(targets, (row) => row.schedule_id);
    return (id) => (groups.get(id) ?? []).map(toTarget);
  };
  /** Adds targets and number of rules. */
  const withCounts = async (rows: readonly Row<'schedules'>[]): Promise<ScheduleSummaryRow[]> => {
    const ids = rows.map((row) => row.id);
    const targets = await targetsOf(ids);
    const counts = await queryInBatches(ids, (slice) =>
      db
        .selectFrom('schedule_rules')
        .where('schedule_id', 'in', slice)
        .groupBy('schedule_id')
        .select((eb) => ['schedule_id', eb.fn.countAll<number>().as('n')])
        .execute(),
    );
    const countOfId = new Map(counts.map(({ schedule_id, n }) => [schedule_id, n]));
    return rows.map((row) => ({
      ...row,
      targets: targets(row.id),
      rule_count: countOfId.get(row.id) ?? 0,
    }));
  };
  const withRules = async (rows: readonly Row<'schedules'>[]): Promise<ScheduleRow[]> => {
    const ids = rows.map((row) => row.id);
    const targets = await targetsOf(ids);
    const groups = groupRowsBy(
      await queryInBatches(ids, (slice) =>
        db
          .selectFrom('schedule_rules')
          .selectAll()
          .where('schedule_id', 'in', slice)
          .orderBy('schedule_id')
          .orderBy('position')
          .execute(),
      ),
      (row) => row.schedule_id,
    );
    return rows.map((row) => {
      const rules = groups.get(row.id) ?? [];
      return { ...row, targets: targets(row.id), rule_count: rules.length, rules };
    });
  };

  return {
    async list(paging: Paging): Promise<Page<ScheduleSummaryRow>> {
      const { rows, total } = await selectPage(db, 'schedules', paging);
      return { rows: await withCounts(rows), total };
    },
    /** Ordered by id. */
    async listAll(): Promise<ScheduleRow[]> {
      return withRules(await db.selectFrom('schedules').selectAll().orderBy('id').execute());
    },
    async find(id: string): Promise<ScheduleRow | undefined> {
      const row = await db.selectFrom('schedules').selectAll().where('id', '=', id).executeTakeFirst();
      return row ? (await withRules([row]))[0] : undefined;
    },
    async countAll(): Promise<{ schedules: number; rules: number; targets: number }> {
      const { targets } = await db
        .selectFrom('schedule_targets')
        .select((eb) => eb.fn.countAll<number>().as('targets'))
        .executeTakeFirstOrThrow();
      return {
        schedules: await countRows(db, 'schedules'),
        rules: await countRows(db, 'schedule_rules'),
        targets,
      };
    },
    async insert(row: NewRow<'schedules'>): Promise<void> {
      await db.insertInto('schedules').values(row).execute();
    },
    async update(
      id: string,
      change: { name?: string | undefined; is_active?: number | undefined },
      nowMs: number,
    ): Promise<void> {
      await db
        .updateTable('schedules')
        .set({ ...change, updated_at: nowMs })
        .where('id', '=', id)
        .execute();
    },
    async replaceRules(scheduleId: string, rules: readonly StoredRule[]) {
      await db.deleteFrom('schedule_rules').where('schedule_id', '=', scheduleId).execute();
      const rows = rules.map((rule, position) => ({ ...rule, schedule_id: scheduleId, position }));
      for (let start = 0; start < rows.length; start += 500) {
        await db
          .insertInto('schedule_rules')
          .values(rows.slice(start, start + 500))
          .execute();
      }
    },
    async replaceTargets(scheduleId: string, targets: readonly Target[]) {
      await db.deleteFrom('schedule_targets').where('schedule_id', '=', scheduleId).execute();
      const unique = [...new Map(targets.map((target) => [targetKey(target), target])).values()];
      if (unique.length > 0) {
        await db
          .insertInto('schedule_targets')
          .values(
            unique.map((target, position) => ({
              schedule_id: scheduleId,
              position,
              ...toTargetColumns(target),
            })),
          )
          .execute();
      }
    },
    /** Removes a deleted device or store from all schedules. */
    async removeTarget(kind: 'device' | 'store', ref: string): Promise<void> {
      await db.deleteFrom('schedule_targets').where('kind', '=', kind).where('ref', '=', ref).execute();
    },
    async delete(id: string): Promise<void> {
      await db.deleteFrom('schedules').where('id', '=', id).execute();
    },
  };
}
