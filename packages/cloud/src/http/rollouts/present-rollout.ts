import type { Rollout, RolloutDevice } from '@placard/protocol/api';
import type { Repositories } from '../../database/cloud-database.ts';
import { causeOf, endsHold, ringsOf, rolloutFilterOf } from '../../database/rollouts.ts';
import type { RolloutDeviceRow } from '../../database/rollout-devices.ts';
import type { RolloutRow } from '../../database/rollouts.ts';
import { toIso, toIsoOrNull } from '../../domain/iso-time.ts';
import { describeCause } from '../../domain/rollout-cause.ts';
import { kindFields } from '../../domain/rollout-kind.ts';

/** A rollout, with how many devices of each ring are how far. */
export async function presentRollout(
  { rollouts, rolloutDevices }: Pick<Repositories, 'rollouts' | 'rolloutDevices'>,
  row: RolloutRow,
): Promise<Rollout> {
  const counts = await rolloutDevices.countByRing(row.id);
  const holding = endsHold(row) ? null : await rollouts.findHolding();
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
