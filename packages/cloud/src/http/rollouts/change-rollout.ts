import type { RolloutCause } from '@placard/protocol/api';
import type { Transaction } from '../../database/cloud-database.ts';
import { storedCause } from '../../database/rollouts.ts';
import type { RolloutRow } from '../../database/rollouts.ts';
import type { RowChange } from '../../database/schema.ts';
import { presentRollout } from './present-rollout.ts';

/** Whose turns with the database these are. */
export const OWNER = 'rollouts';

/** Changes a rollout that the transaction has locked, and records what has become of it. */
export async function changeRollout(
  tx: Transaction,
  row: RolloutRow,
  change: RowChange<'rollouts'>,
  event: 'rollout.advanced' | 'rollout.held' | 'rollout.stopped' | 'rollout.finished',
): Promise<RolloutRow> {
  await tx.rollouts.update(row.id, change);
  const changed = (await tx.rollouts.find(row.id)) ?? row;
  tx.recordEvent({
    type: event,
    resource: row.id,
    data: { rollout: await presentRollout(tx, changed) },
  });
  return changed;
}

/** Tells no further devices; those that have not received their command do not get it. Nobody updates of their own accord. */
export async function stopRollout(
  tx: Transaction,
  row: RolloutRow,
  cause: RolloutCause,
  nowMs: number,
): Promise<RolloutRow> {
  await tx.rolloutDevices.expireCommands(row.id, nowMs);
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
