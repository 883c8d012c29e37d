import { sql } from 'kysely';
import type { Expression, SqlBool } from 'kysely';
import type { OpenAlert } from '../domain/alert-plan.ts';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';
import { offsetOf, partOf } from './list-part.ts';
import type { ListQuery } from './list-part.ts';
import { countRows, isOneOf, selectPage, whereAll } from './paging.ts';
import type { Page } from './paging.ts';
import type { NewRow, Row, RowChange } from './schema.ts';
import { devicesOfStores } from './targets-of-stores.ts';

type AlertRow = Row<'alerts'>;
type AlertDeviceRow = Row<'alert_devices'>;

export interface AlertQuery extends ListQuery {
  status?: AlertRow['status'] | undefined;
  rule_id?: string | undefined;
  device_id?: string | undefined;
  /** Only alerts that concern nothing but these stores. */
  stores?: readonly string[] | undefined;
}

const DELETED_AT_ONCE = 500;
/** Resolved alerts of all rules. */
const MAX_RESOLVED = 100_000;

/** The condition that the device in this column is in one of these stores now. No condition without a list. */
const isInStores = (column: string, stores: readonly string[] | undefined): Expression<SqlBool>[] =>
  stores === undefined
    ? []
    : [
        sql`exists (select 1 from devices where devices.id = ${sql.ref(column)}
          and ${whereAll({ and: isOneOf('store_id', stores) })})`,
      ];

/**
 * The condition that an alert is about one of these stores, or a device that is in one of them now. One about devices of any store has no
 * `ref`, and no device has the id of a store. No condition without a list; none meets it if the list is empty.
 *
 * @param areFew looks at each alert; otherwise they are found by the index, which takes longer with many devices in the stores
 */
function isAboutStores(stores: readonly string[] | undefined, areFew: boolean): Expression<SqlBool>[] {
  if (stores === undefined || stores.length === 0) {
    return isOneOf('ref', stores);
  }
  return [
    areFew
      ? sql`(${sql.join([...isOneOf('ref', stores), ...isInStores('alerts.ref', stores)], sql` or `)})`
      : sql`ref in (select id from stores where id in (${sql.join(stores)})
          union all select id from ${devicesOfStores(stores)} as own)`,
  ];
}

export function alertRepository(db: Db, maxResolved = MAX_RESOLVED) {
  return {
    list: ({ status, rule_id, device_id, stores, ...query }: AlertQuery): Promise<Page<AlertRow>> =>
      selectPage(db, 'alerts', query, {
        equal: { status, rule_id },
        and: [
          ...(device_id === undefined
            ? []
            : [
                sql<SqlBool>`id in (select alert_id from alert_devices
                  where ${whereAll({ equal: { device_id }, and: isInStores('device_id', stores) })})`,
              ]),
          // At most some thousand are open.
          ...isAboutStores(stores, status === 'open'),
        ],
      }),
    /** One alert; for somebody who is bound to stores only if it concerns nothing but these. */
    async find(id: string, stores?: readonly string[]): Promise<AlertRow | undefined> {
      const { rows } = await sql<AlertRow>`select * from alerts
        where ${whereAll({ equal: { id }, and: isAboutStores(stores, true) })}`.execute(db);
      return rows[0];
    },
    async update(id: string, change: RowChange<'alerts'>): Promise<void> {
      await db.updateTable('alerts').set(change).where('id', '=', id).execute();
    },
    /** Open alerts of the rule, with their devices. */
    async open(ruleId: string): Promise<OpenAlert[]> {
      const alerts = await this.openOfRule(ruleId);
      const { rows } = await sql<
        Pick<AlertDeviceRow, 'alert_id' | 'device_id' | 'over_since'>
      >`select alert_id, device_id, over_since from alert_devices
        where alert_id in (select id from alerts where rule_id = ${ruleId} and status = 'open')`.execute(db);
      const devices = Map.groupBy(rows, (row) => row.alert_id);
      return alerts.map(({ id, kind, ref }) => ({
        id,
        kind,
        ref,
        devices: new Map(
          (devices.get(id) ?? []).map(({ device_id, over_since }) => [device_id, over_since] as const),
        ),
      }));
    },
    openOfRule: (ruleId: string): Promise<AlertRow[]> =>
      db
        .selectFrom('alerts')
        .selectAll()
        .where('rule_id', '=', ruleId)
        .where('status', '=', 'open')
        .orderBy('id')
        .execute(),
    async insert(row: NewRow<'alerts'>): Promise<void> {
      await db.insertInto('alerts').values(row).execute();
    },
    /** Adds devices to an alert, or those again that it was over for. */
    async join(this: void, alertId: string, deviceIds: readonly string[], nowMs: number): Promise<void> {
      const { rows } = await sql<{
        last: number;
      }>`select coalesce(max(position), 0) as last from alert_devices
        where alert_id = ${alertId}`.execute(db);
      const last = rows[0]?.last ?? 0;
      await sql`insert into alert_devices (alert_id, device_id, position, joined_at, over_since)
        select ${alertId}, device_id, position, ${nowMs}, null from ${engineOf(db).given([
          { name: 'device_id', type: 'text', values: deviceIds },
          { name: 'position', type: 'bigint', values: deviceIds.map((_, index) => last + index + 1) },
        ])} where true
        on conflict (alert_id, device_id) do update set over_since = null`.execute(db);
    },
    /** It is over for these devices. */
    async leave(this: void, alertId: string, deviceIds: readonly string[], nowMs: number): Promise<void> {
      await sql`update alert_devices set over_since = ${nowMs} where alert_id = ${alertId} and device_id in
        (select device_id from ${engineOf(db).given([{ name: 'device_id', type: 'text', values: deviceIds }])})`.execute(
        db,
      );
    },
    /** Counts the devices of an alert again. */
    async count(alertId: string): Promise<void> {
      const { rows } = await sql<Pick<AlertRow, 'devices' | 'affected'>>`select count(*) as devices,
        count(*) filter (where over_since is null) as affected
        from alert_devices where alert_id = ${alertId}`.execute(db);
      await this.update(alertId, rows[0] ?? {});
    },
    /** Its devices, all or those that are in these stores now. */
    async devices(
      { id, devices }: AlertRow,
      query: ListQuery,
      stores?: readonly string[],
    ): Promise<Page<AlertDeviceRow>> {
      const part = partOf(db, 'alert_devices', { ...query, sort: 'position' }, 'device_id');
      const equal = { alert_id: id };
      const isOwn = isInStores('device_id', stores);
      const count = async () =>
        stores === undefined ? devices : countRows(db, 'alert_devices', { equal, and: isOwn });
      const total = part.isCounted ? await count() : null;
      if (total !== null && total <= offsetOf(query)) {
        return { rows: [], total, nextCursor: null };
      }
      const conditions = whereAll<'alert_devices'>({ equal, and: [...isOwn, ...part.and] });
      const { rows } = await sql<AlertDeviceRow>`select * from alert_devices where ${conditions}
        ${part.orderBy} ${part.range}`.execute(db);
      return { ...part.cut(rows), total };
    },
    /**
     * Deletes some of the devices of the alert that was resolved first, if that was before the time or there are too many;
     * then the alert. Call it until it returns false.
     */
    async deleteBatch(beforeMs: number): Promise<boolean> {
      const { rows } = await sql<
        Pick<AlertRow, 'id' | 'resolved_at'>
      >`select id, resolved_at from alerts where resolved_at is not null
        order by resolved_at, id limit 1`.execute(db);
      const [oldest] = rows;
      if (
        !oldest ||
        ((oldest.resolved_at ?? 0) >= beforeMs &&
          (await countRows(db, 'alerts', { equal: { status: 'resolved' } })) <= maxResolved)
      ) {
        return false;
      }
      const { numAffectedRows } =
        await sql`delete from alert_devices where alert_id = ${oldest.id} and device_id in (
        select device_id from alert_devices where alert_id = ${oldest.id} limit ${DELETED_AT_ONCE})`.execute(
          db,
        );
      if ((numAffectedRows ?? 0n) === 0n) {
        await db.deleteFrom('alert_mails').where('alert_id', '=', oldest.id).execute();
        await db.deleteFrom('alerts').where('id', '=', oldest.id).execute();
      }
      return true;
    },
  };
}
