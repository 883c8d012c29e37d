import type { Rollout, RolloutDevice } from '@placard/protocol/api';
import type { Repositories } from '../database/cloud-database.ts';
import { causeOf, endsHold, ringsOf, rolloutFilterOf } from '../database/rollouts.ts';
import type { RingStatusCount, RolloutDeviceRow } from '../database/rollout-devices.ts';
import type { RolloutRow } from '../database/rollouts.ts';
import { toIso, toIsoOrNull } from '../domain/iso-time.ts';
import { describeCause } from '../domain/rollout-cause.ts';
import { kindFields } from '../domain/rollout-kind.ts';

type Source = Pick<Repositories, 'rollouts' | 'rolloutDevices'>;

/** A rollout, with how many devices of each ring are how far. */
export async function presentRollout(source: Source, row: RolloutRow): Promise<Rollout> {
  const holding = endsHold(row) ? null : await source.rollouts.findHolding();
  return toRollout(row, await countsOf(source, row), holding);
}

/** Rollouts of a page by their ids. */
export async function presentRollouts(
  source: Source,
  rows: readonly RolloutRow[],
): Promise<ReadonlyMap<string, Rollout>> {
  const holding = await source.rollouts.findHolding();
  const presented = rows.map(
    async (row) => [row.id, toRollout(row, await countsOf(source, row), holding)] as const,
  );
  return new Map(await Promise.all(presented));
}

const countsOf = async (
  { rolloutDevices }: Source,
  { id, counts }: Pick<RolloutRow, 'id' | 'counts'>,
): Promise<RingStatusCount[]> => (counts === null ? rolloutDevices.countByRing(id) : JSON.parse(counts));

function toRollout(
  row: RolloutRow,
  counts: readonly RingStatusCount[],
  holding: Pick<RolloutRow, 'id'> | null,
): Rollout {
  const cause = causeOf(row);
  const devicesOf = (ring: number, status?: RolloutDeviceRow['status']) =>
    counts
      .filter(
        (each) =>
          each.ring === ring && (status === undefined ? each.status !== 'removed' : each.status === status),
      )
      .reduce((total, { devices }) => total + devices, 0);
  return {
    id: row.id,
    name: row.name,
    version: row.version,
    filter: rolloutFilterOf(row),
    hold_hours: row.hold_hours,
    status: row.status,
    reason: cause ? describeCause(cause, row.version) : row.reason,
    cause,
    ring: row.ring,
    ring_started_at: toIsoOrNull(row.ring_started_at),
    rings: ringsOf(row).map((percent, index) => ({
      percent,
      chosen: devicesOf(index + 1),
      waiting: devicesOf(index + 1, 'waiting'),
      told: devicesOf(index + 1, 'told'),
      updated: devicesOf(index + 1, 'updated'),
      failed: devicesOf(index + 1, 'failed'),
    })),
    fleet: row.fleet,
    self_updating: row.self_updating,
    holds_updates: holding?.id === row.id,
    created_at: toIso(row.created_at),
    finished_at: toIsoOrNull(row.finished_at),
  };
}

export const presentRolloutDevice = (row: RolloutDeviceRow, name: string | null): RolloutDevice => ({
  device_id: row.device_id,
  device_name: name,
  ring: row.ring,
  ...kindFields(row.kind),
  status: row.status,
  code: row.code,
  command_id: row.command_id,
  told_at: toIsoOrNull(row.told_at),
  updated_at: toIsoOrNull(row.updated_at),
});
