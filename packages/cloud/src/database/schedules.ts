import type { ManifestRule } from '@placard/protocol';
import { sql } from 'kysely';
import type { SqlBool } from 'kysely';
import type { Rule } from '@placard/protocol/api';
import { targetKey } from '@placard/schedule';
import type { Target } from '@placard/schedule';
import { toIso } from '../domain/iso-time.ts';
import { toManifestRule } from '../domain/manifest-rule.ts';
import type { StoredRule } from '../domain/schedule-rules.ts';
import type { Db } from './db.ts';
import {
  containsText,
  countRows,
  deleteById,
  queryInBatches,
  selectPage,
  slicesOf,
  whereAll,
} from './paging.ts';
import type { ListQuery } from './list-part.ts';
import type { Page } from './paging.ts';
import type { NewRow, Row, RowChange } from './schema.ts';
import { concernsStores } from './targets-of-stores.ts';

export type RuleRow = Row<'schedule_rules'>;
export interface ScheduleSummaryRow extends Row<'schedules'> {
  targets: Target[];
  rule_count: number;
}
export interface ScheduleRow extends ScheduleSummaryRow {
  rules: RuleRow[];
}

export interface ScheduleFilter extends ListQuery {
  is_active?: boolean | undefined;
  search?: string | undefined;
  /** Only schedules and targets that concern these stores. */
  stores?: readonly string[] | undefined;
}

export interface TargetColumns {
  kind: Target['type'];
  ref: string;
}

export function toTarget({ kind, ref }: TargetColumns): Target {
  if (kind === 'all') {
    return { type: kind };
  }
  return kind === 'tag' ? { type: kind, value: ref } : { type: kind, id: ref };
}

/** A rule as players get it. */
export function toTimedRule(row: StoredRule): ManifestRule {
  return {
    ...toManifestRule(toRule(row)),
    created_at: toIso(row.created_at),
    updated_at: toIso(row.updated_at),
  };
}

/** A rule as the API has it. */
export function toRule(row: StoredRule): Rule {
  return {
    id: row.id,
    playlist_id: row.playlist_id,
    start_time: row.start_time,
    end_time: row.end_time,
    days: row.days === null ? null : JSON.parse(row.days),
    rrule: row.rrule,
    priority: row.priority,
    starts_on: row.starts_on,
    ends_on: row.ends_on,
    end_day_offset: row.end_day_offset,
    except_dates: row.except_dates === null ? [] : JSON.parse(row.except_dates),
    local_time: row.local_time === 1,
  };
}

export function toTargetColumns(target: Target): TargetColumns {
  if (target.type === 'all') {
    return { kind: target.type, ref: '' };
  }
  return { kind: target.type, ref: target.type === 'tag' ? target.value : target.id };
}

/** The condition that a schedule concerns these stores; none without a list. */
const ofStores = (stores: readonly string[] | undefined) =>
  concernsStores(stores).map(
    (condition) => sql<SqlBool>`id in (select schedule_id from schedule_targets where ${condition})`,
  );

export function scheduleRepository(db: Db) {
  const targetsOf = async (
    ids: readonly string[],
    stores?: readonly string[],
  ): Promise<(id: string) => Target[]> => {
    const targets = await queryInBatches(ids, (slice) =>
      db
        .selectFrom('schedule_targets')
        .selectAll()
        .where('schedule_id', 'in', slice)
        .where(whereAll({ and: concernsStores(stores) }))
        .orderBy('schedule_id')
        .orderBy('position')
        .execute(),
    );
    const groups = Map.groupBy(targets, (row) => row.schedule_id);
    return (id) => (groups.get(id) ?? []).map(toTarget);
  };
  const withCounts = async (
    rows: readonly Row<'schedules'>[],
    stores: readonly string[] | undefined,
  ): Promise<ScheduleSummaryRow[]> => {
    const ids = rows.map((row) => row.id);
    const targets = await targetsOf(ids, stores);
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
  const withRules = async (
    rows: readonly Row<'schedules'>[],
    stores?: readonly string[],
  ): Promise<ScheduleRow[]> => {
    const ids = rows.map((row) => row.id);
    const targets = await targetsOf(ids, stores);
    const groups = Map.groupBy(
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
    async list({ is_active, search, stores, ...query }: ScheduleFilter): Promise<Page<ScheduleSummaryRow>> {
      const page = await selectPage(db, 'schedules', query, {
        equal: { is_active: is_active === undefined ? undefined : Number(is_active) },
        and: [...containsText(db, 'name', search), ...ofStores(stores)],
      });
      return { ...page, rows: await withCounts(page.rows, stores) };
    },
    async listIds(): Promise<string[]> {
      const rows = await db.selectFrom('schedules').select('id').execute();
      return rows.map(({ id }) => id);
    },
    /** Those that exist. */
    async findByIds(ids: readonly string[]): Promise<ScheduleRow[]> {
      return withRules(
        await queryInBatches(ids, (slice) =>
          db.selectFrom('schedules').selectAll().where('id', 'in', slice).execute(),
        ),
      );
    },
    /** One schedule; for somebody who is bound to stores only if it concerns these, with the targets that do. */
    async find(id: string, stores?: readonly string[]): Promise<ScheduleRow | undefined> {
      const { rows } = await sql<Row<'schedules'>>`select * from schedules
        where ${whereAll({ equal: { id }, and: ofStores(stores) })}`.execute(db);
      return (await withRules(rows, stores))[0];
    },
    async countAll(): Promise<{ schedules: number; rules: number; targets: number }> {
      return {
        schedules: await countRows(db, 'schedules'),
        rules: await countRows(db, 'schedule_rules'),
        targets: await countRows(db, 'schedule_targets'),
      };
    },
    async insert(row: NewRow<'schedules'>): Promise<void> {
      await db.insertInto('schedules').values(row).execute();
    },
    async update(id: string, change: RowChange<'schedules'>, nowMs: number): Promise<void> {
      await db
        .updateTable('schedules')
        .set({ ...change, updated_at: nowMs })
        .where('id', '=', id)
        .execute();
    },
    async replaceRules(scheduleId: string, rules: readonly StoredRule[]) {
      await db.deleteFrom('schedule_rules').where('schedule_id', '=', scheduleId).execute();
      const rows = rules.map((rule, position) => ({ ...rule, schedule_id: scheduleId, position }));
      for (const slice of slicesOf(rows, 500)) {
        await db.insertInto('schedule_rules').values(slice).execute();
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
    /** Removes a deleted device or store from all schedules; returns the ids of those that targeted it. */
    async removeTarget(kind: 'device' | 'store', ref: string): Promise<string[]> {
      const rows = await db
        .deleteFrom('schedule_targets')
        .where('kind', '=', kind)
        .where('ref', '=', ref)
        .returning('schedule_id')
        .execute();
      return rows.map((row) => row.schedule_id);
    },
    delete: (id: string): Promise<void> => deleteById(db, 'schedules', id),
  };
}
