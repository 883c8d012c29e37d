import type { AlertCondition, AlertFilter, AlertRule } from '@placard/protocol/api';
import type { Db } from './db.ts';
import type { ListQuery } from './list-part.ts';
import { countRows, deleteById, findById, selectPage } from './paging.ts';
import type { Page } from './paging.ts';
import type { NewRow, Row, RowChange } from './schema.ts';

type RuleRow = Row<'alert_rules'>;

export const conditionOf = (row: Pick<RuleRow, 'condition'>): AlertCondition => JSON.parse(row.condition);
export const alertFilterOf = (row: Pick<RuleRow, 'filter'>): AlertFilter => JSON.parse(row.filter);
export const openingHoursOf = ({
  opening_hours,
}: Pick<RuleRow, 'opening_hours'>): AlertRule['opening_hours'] =>
  opening_hours === null ? null : JSON.parse(opening_hours);
export const recipientsOf = (row: Pick<RuleRow, 'recipients'>): string[] => JSON.parse(row.recipients);
export const escalationsOf = (row: Pick<RuleRow, 'escalations'>): AlertRule['escalations'] =>
  JSON.parse(row.escalations);

export function alertRuleRepository(db: Db) {
  return {
    list: (query: ListQuery): Promise<Page<RuleRow>> => selectPage(db, 'alert_rules', query),
    find: (id: string) => findById(db, 'alert_rules', id),
    count: (): Promise<number> => countRows(db, 'alert_rules'),
    listActive: (): Promise<RuleRow[]> =>
      db.selectFrom('alert_rules').selectAll().where('is_active', '=', 1).orderBy('id').execute(),
    /** Rules, on or off, that watch the devices of this store alone. */
    async ofStore(storeId: string): Promise<Pick<RuleRow, 'id' | 'name'>[]> {
      const rows = await db
        .selectFrom('alert_rules')
        .select(['id', 'name', 'filter'])
        .orderBy('id')
        .execute();
      return rows
        .filter((row) => alertFilterOf(row).store_id === storeId)
        .map(({ id, name }) => ({ id, name }));
    },
    async insert(row: NewRow<'alert_rules'>): Promise<void> {
      await db.insertInto('alert_rules').values(row).execute();
    },
    async update(id: string, change: RowChange<'alert_rules'>): Promise<void> {
      await db.updateTable('alert_rules').set(change).where('id', '=', id).execute();
    },
    delete: (id: string): Promise<void> => deleteById(db, 'alert_rules', id),
  };
}
