import { sql } from 'kysely';
import { previousReport } from '../../domain/heartbeat-state.ts';
import type { HeartbeatEffect, LiveState } from '../../domain/heartbeat-state.ts';
import type { Db } from '../db.ts';
import { postgres } from '../engine/postgres.ts';
import { eventRepository } from '../events.ts';
import type { NewEvent } from '../events.ts';
import type { PreviousState } from '../known-devices.ts';
import { ordinaryEffect } from '../ordinary-heartbeats.ts';
import type { ArrivedHeartbeat, RecordedHeartbeat } from '../ordinary-heartbeats.ts';
import type { Row } from '../schema.ts';
import { givenRows } from './given-rows.ts';

/** Of a device that is online, of which webhooks know that it is. */
type StoredState = PreviousState & {
  id: string;
  /** When the last command expires that is waiting for the device. */
  last_expiry: number | null;
};

/** What is written for a device: of several heartbeats the last value of each column that has one. */
type LiveRow = Required<{
  [Column in keyof HeartbeatEffect['live']]: HeartbeatEffect['live'][Column] | null;
}>;

/**
 * Records heartbeats that change nothing but samples and live state, in a transaction: one statement reads the devices of
 * all, and one writes. Their rows are kept meanwhile. A device that a transaction is about to change is left to the
 * transaction that handles every case, instead of waiting for it: so no heartbeat waits for another device.
 */
export async function recordOrdinaryHeartbeats(
  trx: Db,
  arrived: readonly ArrivedHeartbeat[],
): Promise<RecordedHeartbeat[]> {
  const devices = await keepOnline(trx, [...new Set(arrived.map(({ deviceId }) => deviceId))]);
  const lives = new Map<number, LiveRow>();
  const samples: Row<'samples'>[] = [];
  const events: NewEvent[] = [];
  const sampled = arrived.map((heartbeat) => {
    const { deviceId, nowMs } = heartbeat;
    const stored = devices.get(deviceId);
    const hasNoCommand = stored !== undefined && (stored.last_expiry ?? nowMs) <= nowMs;
    const effect = hasNoCommand ? ordinaryEffect(stored, heartbeat, postgres.encodeMeasure) : null;
    if (!stored || !effect) {
      // Those that follow one that is not ordinary must not overtake it.
      devices.delete(deviceId);
      return null;
    }
    const { rows, live, event, report } = effect;
    const before = lives.get(stored.number);
    lives.set(stored.number, {
      ...live,
      health: live.health ?? before?.health ?? null,
      latest_sample: live.latest_sample ?? before?.latest_sample ?? null,
      clock_offset_ms: live.clock_offset_ms ?? before?.clock_offset_ms ?? null,
    });
    devices.set(deviceId, { ...stored, report });
    samples.push(...rows);
    events.push(...(event ? [event] : []));
    return { rows, hasEvent: event !== null };
  });
  const added = lives.size === 0 ? new Set<string>() : await write(trx, lives, samples);
  await eventRepository(trx).append(events);
  // A sample that is sent twice is new once.
  return sampled.map(
    (each) =>
      each && {
        newSamples: each.rows.filter((row) => added.delete(keyOf(row))).length,
        hasEvent: each.hasEvent,
      },
  );
}

async function keepOnline(trx: Db, ids: readonly string[]): Promise<Map<string, StoredState>> {
  const { rows } = await sql<Omit<StoredState, 'report'> & LiveState>`
    select id, number, player_version, rolled_up_until, last_heartbeat, current, faults, latest_sample,
      health, (select max(expires_at) from commands
        where device_id = devices.id and status in ('queued', 'delivered')) as last_expiry
    from devices join device_live on device_live.device = devices.number
    where devices.id = any(${ids}) and online = 1 and told_status = 'online'
    for update of device_live skip locked`.execute(trx);
  return new Map(rows.map((row) => [row.id, { ...row, report: previousReport(row) }]));
}

/** Returns the keys of the samples that were not stored yet. */
async function write(
  trx: Db,
  lives: ReadonlyMap<number, LiveRow>,
  samples: readonly Row<'samples'>[],
): Promise<Set<string>> {
  const live = givenRows(
    [...lives].map(([device, row]) => ({ device, ...row })),
    {
      device: 'bigint',
      last_seen: 'bigint',
      last_heartbeat: 'bigint',
      applied_manifest_revision: 'text',
      current: 'text',
      storage: 'text',
      frames: 'text',
      tz_version: 'text',
      faults: 'text',
      health: 'text',
      latest_sample: 'text',
      clock_offset_ms: 'bigint',
    },
  );
  const given = givenRows(samples, {
    device: 'bigint',
    at: 'bigint',
    cpu: 'double precision',
    memory: 'double precision',
    disk: 'double precision',
    temperature: 'double precision',
    wifi: 'double precision',
  });
  const { rows } = await sql<{ device: number; at: number }>`
    with changed as (
      update device_live set last_seen = given.last_seen, last_heartbeat = given.last_heartbeat,
        applied_manifest_revision = given.applied_manifest_revision, current = given.current, storage = given.storage,
        frames = given.frames, tz_version = given.tz_version, faults = given.faults,
        health = coalesce(given.health, device_live.health),
        latest_sample = coalesce(given.latest_sample, device_live.latest_sample),
        clock_offset_ms = coalesce(given.clock_offset_ms, device_live.clock_offset_ms)
      from ${live} where device_live.device = given.device)
    insert into samples (device, at, cpu, memory, disk, temperature, wifi) select * from ${given}
    on conflict do nothing returning device, at`.execute(trx);
  return new Set(rows.map(keyOf));
}

const keyOf = ({ device, at }: { device: number; at: number }): string => `${device} ${at}`;
