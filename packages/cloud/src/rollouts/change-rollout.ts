import type { EventType, Rollout, RolloutCause } from '@placard/protocol/api';
import type { Transaction } from '../database/cloud-database.ts';
import { storedCause } from '../database/rollouts.ts';
import type { RolloutRow } from '../database/rollouts.ts';
import type { RowChange } from '../database/schema.ts';
import { presentRollout } from './present-rollout.ts';

/** Whose turns with the database these are. */
export const OWNER = 'rollouts';

type RolloutEvent = Extract<EventType, `rollout.${string}`>;

/** Records what has become of a rollout; returns it as clients are told of it. */
export async function recordRollout(tx: Transaction, row: RolloutRow, event: RolloutEvent): Promise<Rollout> {
  const rollout = await presentRollout(tx, row);
  tx.recordEvent({ type: event, resource: row.id, data: { rollout } });
  return rollout;
}

/** Changes a rollout that the transaction has locked, and records what has become of it. */
export async function changeRollout(
  tx: Transaction,
  row: RolloutRow,
  change: RowChange<'rollouts'>,
  event: RolloutEvent,
): Promise<Rollout> {
  await tx.rollouts.update(row.id, change);
  return recordRollout(tx, (await tx.rollouts.find(row.id)) ?? row, event);
}

/** Tells no further devices; those that have not received their command do not get it. Nobody updates of their own accord. */
export async function stopRollout(
  tx: Transaction,
  row: RolloutRow,
  cause: RolloutCause,
  nowMs: number,
): Promise<Rollout> {
  await tx.rolloutDevices.withdrawCommands(row.id, nowMs);
  const change = { status: 'stopped', ...storedCause(cause), finished_at: nowMs } as const;
  return changeRollout(tx, row, change, 'rollout.stopped');
}

/** What a rollout begins its next ring with. */
export const beginningOfRing = (ring: number) => ({
  ring,
  ring_started_at: null,
  told_at: null,
  observed_from: null,
  looks: 0,
  compared: 0,
});
