import { sql } from 'kysely';
import type { TriedKind } from '../domain/rollout-comparison.ts';
import type { Db } from './db.ts';
import { engineOf } from './engine/engine-of.ts';
import { partOf } from './list-part.ts';
import type { ListQuery } from './list-part.ts';
import { countRows, whereAll } from './paging.ts';
import type { Page } from './paging.ts';
import type { Row, RowChange } from './schema.ts';

export type RolloutDeviceRow = Row<'rollout_devices'>;

export interface RolloutDeviceQuery extends ListQuery {
  status?: RolloutDeviceRow['status'] | undefined;
}

/** A device that a rollout may reach. */
export type SelectableDevice = Pick<Row<'devices'>, 'id' | 'platform' | 'player_version' | 'hardware'> &
  Pick<Row<'device_live'>, 'online' | 'health'>;

/** How many devices of a ring have a status. */
export interface RingStatusCount {
  ring: number;
  status: RolloutDeviceRow['status'];
  devices: number;
}

/** What is compared of a device. */
export type ComparedRow = Pick<
  RolloutDeviceRow,
  'kind' | 'status' | 'from_version' | 'health_before' | 'health_after'
> &
  Pick<Row<'device_live'>, 'health' | 'last_heartbeat' | 'last_seen'> &
  Pick<Row<'devices'>, 'player_version'>;

/** A device that was told, whose command has ended. */
export type AnsweredDevice = Pick<RolloutDeviceRow, 'position'> &
  Pick<Row<'commands'>, 'status' | 'result'> &
  Pick<Row<'devices'>, 'player_version'>;

/** Positions of a ring, and of those after it. */
export interface RingRange {
  /** The first of the ring, and the one after its last. */
  first: number;
  end: number;
}

const DELETED_AT_ONCE = 500;

const nextRollout = (after: ReturnType<typeof sql>) =>
  sql`select min(rollout_id) from rollout_devices where rollout_id > ${after}`;

/** The devices of each rollout, in the order in which they are told. */
export function rolloutDeviceRepository(db: Db) {
  /** What is remembered of a device. */
  const reportedNow = sql`(select health || '@' || cast(last_heartbeat as text)
    from devices join device_live on device_live.device = devices.number where devices.id = rollout_devices.device_id)`;

  return {
    /** What is to be known of devices to put them into their order. */
    async selectable(ids: readonly string[]): Promise<SelectableDevice[]> {
      const { rows } = await sql<SelectableDevice>`
        select id, platform, player_version, hardware, online, health
        from devices join device_live on device_live.device = devices.number
        where id in (${sql.join(ids)})`.execute(db);
      return rows;
    },
    async add(
      rolloutId: string,
      devices: readonly Pick<RolloutDeviceRow, 'position' | 'device_id' | 'ring' | 'kind' | 'from_version'>[],
    ): Promise<void> {
      await sql`insert into rollout_devices (rollout_id, position, device_id, ring, kind, from_version, status)
        select ${rolloutId}, position, device_id, ring, kind, from_version, 'waiting' from ${engineOf(
          db,
        ).given([
          { name: 'position', type: 'bigint', values: devices.map(({ position }) => position) },
          { name: 'device_id', type: 'text', values: devices.map(({ device_id }) => device_id) },
          { name: 'ring', type: 'bigint', values: devices.map(({ ring }) => ring) },
          { name: 'kind', type: 'text', values: devices.map(({ kind }) => kind) },
          { name: 'from_version', type: 'text', values: devices.map(({ from_version }) => from_version) },
        ])}`.execute(db);
    },
    /** Deletes some of the devices of a rollout; returns whether there were any. */
    async deleteSome(rolloutId: string): Promise<boolean> {
      const { numAffectedRows } = await sql`delete from rollout_devices where rollout_id = ${rolloutId}
        and position in (select position from rollout_devices where rollout_id = ${rolloutId} limit ${DELETED_AT_ONCE})`.execute(
        db,
      );
      return (numAffectedRows ?? 0n) > 0n;
    },
    /** The id of a rollout that was deleted, but not its devices; each that has devices is found by a step in the index. */
    async findLeft(): Promise<string | null> {
      const { rows } = await sql<{ id: string }>`with recursive present (id) as (
          select (${nextRollout(sql`''`)})
          union all
          select (${nextRollout(sql`present.id`)}) from present where present.id is not null)
        select id from present where id is not null
          and not exists (select 1 from rollouts where rollouts.id = present.id) limit 1`.execute(db);
      return rows[0]?.id ?? null;
    },

    async rangeOfRing(rolloutId: string, ring: number): Promise<RingRange> {
      const { rows } = await sql<{ first: number | null; last: number | null }>`
        select min(position) as first, max(position) as last from rollout_devices
        where rollout_id = ${rolloutId} and ring = ${ring}`.execute(db);
      return { first: rows[0]?.first ?? 0, end: (rows[0]?.last ?? -1) + 1 };
    },
    waiting: (rolloutId: string, ring: number, limit: number): Promise<RolloutDeviceRow[]> =>
      db
        .selectFrom('rollout_devices')
        .selectAll()
        .where('rollout_id', '=', rolloutId)
        .where('status', '=', 'waiting')
        .where('ring', '=', ring)
        .orderBy('position')
        .limit(limit)
        .execute(),
    async update(rolloutId: string, position: number, change: RowChange<'rollout_devices'>): Promise<void> {
      await db
        .updateTable('rollout_devices')
        .set(change)
        .where('rollout_id', '=', rolloutId)
        .where('position', '=', position)
        .execute();
    },
    /** Told devices that were removed; returns whether there were any. */
    async markRemoved(rolloutId: string): Promise<boolean> {
      const { numAffectedRows } =
        await sql`update rollout_devices set status = 'removed' where rollout_id = ${rolloutId} and status = 'told'
        and not exists (select 1 from devices where devices.id = rollout_devices.device_id)`.execute(db);
      return (numAffectedRows ?? 0n) > 0n;
    },
    /** Told devices after a position whose command has ended. */
    async answered(rolloutId: string, after: number, limit: number): Promise<AnsweredDevice[]> {
      const { rows } = await sql<AnsweredDevice>`
        select position, commands.status as status, result, player_version from rollout_devices
        join commands on commands.id = rollout_devices.command_id
        join devices on devices.id = rollout_devices.device_id
        where rollout_id = ${rolloutId} and rollout_devices.status = 'told' and position > ${after}
          and commands.status in ('succeeded', 'failed', 'expired') order by position limit ${limit}`.execute(
        db,
      );
      return rows;
    },
    /** Lets the commands expire that told devices have not begun with. Devices that were sent none yet wait again. */
    async withdrawCommands(rolloutId: string, nowMs: number): Promise<void> {
      await sql`update commands set expires_at = ${nowMs} where status in ('queued', 'delivered') and id in (
        select command_id from rollout_devices where rollout_id = ${rolloutId} and status = 'told')`.execute(
        db,
      );
      await sql`update rollout_devices set status = 'waiting', command_id = null, told_at = null
        where rollout_id = ${rolloutId} and status = 'told'
        and command_id in (select id from commands where status = 'queued')`.execute(db);
    },

    /** Of one ring, or of all. */
    async countByRing(rolloutId: string, ring: number | null = null): Promise<RingStatusCount[]> {
      const ofRing = ring === null ? sql`` : sql`and ring = ${ring}`;
      const { rows } = await sql<RingStatusCount>`
        select ring, status, count(*) as devices from rollout_devices where rollout_id = ${rolloutId} ${ofRing}
        group by ring, status`.execute(db);
      return rows;
    },
    /** Devices of a ring that were updated, run the version now, and were heard of since. */
    async countAlive(
      { id, ring, version }: Pick<Row<'rollouts'>, 'id' | 'ring' | 'version'>,
      sinceMs: number,
    ): Promise<number> {
      const { rows } = await sql<{ devices: number }>`
        select count(*) as devices from rollout_devices
        join devices on devices.id = rollout_devices.device_id
        join device_live on device_live.device = devices.number
        where rollout_id = ${id} and ring = ${ring} and rollout_devices.status = 'updated'
          and player_version = ${version} and last_seen >= ${sinceMs}`.execute(db);
      return rows[0]?.devices ?? 0;
    },
    /**
     * Devices of a ring by kind that were told no later than the last one on which the version is broken, without those that have not
     * received their command; none before one is broken.
     *
     * @param notBroken codes of failures that say nothing about the version
     */
    async triedByKind(rolloutId: string, ring: number, notBroken: readonly string[]): Promise<TriedKind[]> {
      const isBroken = sql`status = 'failed' and code not in (${sql.join(notBroken)})`;
      const { rows: last } = await sql<{
        told_at: number | null;
      }>`select max(told_at) as told_at from rollout_devices
        where rollout_id = ${rolloutId} and ring = ${ring} and ${isBroken}`.execute(db);
      const until = last[0]?.told_at ?? null;
      if (until === null) {
        return [];
      }
      const { rows } = await sql<TriedKind>`
        select kind, count(*) as tried, count(case when ${isBroken} then 1 end) as broken from rollout_devices
        where rollout_id = ${rolloutId} and ring = ${ring} and told_at <= ${until} and (status in ('updated', 'failed')
          or (status = 'told' and exists (select 1 from commands where id = command_id and commands.status <> 'queued')))
        group by kind`.execute(db);
      return rows;
    },

    /** Remembers what was reported up to now of every so many devices of a ring, and of those after it that were heard of since. */
    async rememberBefore(
      rolloutId: string,
      { first, end }: RingRange,
      { step, others, heardSinceMs }: { step: number; others: number; heardSinceMs: number },
    ): Promise<void> {
      await sql`update rollout_devices set health_before = null, health_after = null where rollout_id = ${rolloutId}
        and position >= ${first} and position < ${end + others} and health_before is not null`.execute(db);
      await sql`update rollout_devices set health_before = ${reportedNow} where rollout_id = ${rolloutId}
        and position >= ${first} and position < ${end + others} and (position >= ${end} or (position - ${first}) % ${step} = 0)
        and exists (select 1 from devices join device_live on device_live.device = devices.number
          where devices.id = rollout_devices.device_id and last_seen >= ${heardSinceMs})`.execute(db);
    },
    /** Remembers it again of those devices that were updated or wait: from now on they are compared. */
    async rememberAfter(rolloutId: string, { first, end }: RingRange, others: number): Promise<void> {
      await sql`update rollout_devices set health_after = ${reportedNow} where rollout_id = ${rolloutId}
        and position >= ${first} and position < ${end + others} and health_before is not null
        and (status = 'updated' or (status = 'waiting' and position >= ${end}))`.execute(db);
    },
    /** Those of which it is remembered. */
    async compared(rolloutId: string, { first, end }: RingRange, others: number): Promise<ComparedRow[]> {
      const { rows } = await sql<ComparedRow>`
        select kind, rollout_devices.status as status, from_version, health_before, health_after, health,
          last_heartbeat, last_seen, player_version
        from rollout_devices
        join devices on devices.id = rollout_devices.device_id
        join device_live on device_live.device = devices.number
        where rollout_id = ${rolloutId} and position >= ${first} and position < ${end + others}
          and health_before is not null order by position`.execute(db);
      return rows;
    },

    async list(rolloutId: string, { status, ...query }: RolloutDeviceQuery): Promise<Page<RolloutDeviceRow>> {
      const part = partOf(db, 'rollout_devices', { ...query, sort: 'position' }, 'device_id');
      const conditions = { equal: { rollout_id: rolloutId, status } };
      const where = whereAll<'rollout_devices'>({ ...conditions, and: part.and });
      const { rows } = await sql<RolloutDeviceRow>`select * from rollout_devices where ${where}
        ${part.orderBy} ${part.range}`.execute(db);
      return {
        ...part.cut(rows),
        total: part.isCounted ? await countRows(db, 'rollout_devices', conditions) : null,
      };
    },
  };
}
