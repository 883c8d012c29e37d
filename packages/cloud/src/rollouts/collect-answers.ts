import { z } from 'zod';
import type { Transaction } from '../database/cloud-database.ts';
import type { AnsweredDevice } from '../database/rollout-devices.ts';
import type { RolloutRow } from '../database/rollouts.ts';
import type { RowChange } from '../database/schema.ts';
import type { TriedKind } from '../domain/rollout-comparison.ts';
import { NOT_OF_THE_VERSION } from '../domain/rollout-failures.ts';

/** Answers that are read at once. */
const ANSWERS_AT_ONCE = 500;

/** The result of UPDATE_CHECK, as far as it is read; players of other versions may send anything. */
const updateResult = z
  .object({
    outcome: z.string().optional().catch(undefined),
    code: z.string().max(100).nullish().catch(undefined),
    to: z.string().nullish().catch(undefined),
  })
  .catch({});

/** Reads what became of the devices that were told; returns whether it is more than before. */
export async function collectAnswers(tx: Transaction, row: RolloutRow, nowMs: number): Promise<boolean> {
  let isMore = await tx.rolloutDevices.markRemoved(row.id);
  for (let after = -1, hasMore = true; hasMore;) {
    const answers = await tx.rolloutDevices.answered(row.id, after, ANSWERS_AT_ONCE);
    for (const answer of answers) {
      const change = changeAfter(answer, row, nowMs);
      if (change) {
        isMore = true;
        await tx.rolloutDevices.update(row.id, answer.position, change);
      }
    }
    after = answers.at(-1)?.position ?? after;
    hasMore = answers.length === ANSWERS_AT_ONCE;
  }
  return isMore;
}

const failed = (code: string) => ({ status: 'failed' as const, code });

/**
 * What an answer makes of a device; null while it has not reported the version that it says it has. A device is updated only when its
 * update helper has confirmed the version: before that it may go back.
 */
function changeAfter(
  { status, result, player_version }: AnsweredDevice,
  { version, status: rolloutStatus }: Pick<RolloutRow, 'version' | 'status'>,
  nowMs: number,
): RowChange<'rollout_devices'> | null {
  if (status === 'expired') {
    // Withdrawn: a device that was sent it may have begun nevertheless, and answers then.
    return rolloutStatus === 'stopped' ? null : failed('expired');
  }
  const { outcome, code, to } = updateResult.parse(result === null ? {} : JSON.parse(result));
  if (outcome === 'rolled_back') {
    // When the disk became full during the update, the version was not tried.
    return failed(code === 'no_space' ? code : 'rolled_back');
  }
  if (status === 'failed') {
    return failed(code ?? 'failed');
  }
  if (outcome !== 'up_to_date' && to !== version) {
    return failed('other_version');
  }
  if (player_version === version) {
    return { status: 'updated', updated_at: nowMs };
  }
  if (outcome !== 'up_to_date') {
    return null;
  }
  return failed(code === 'blocked' && to === version ? code : 'not_offered');
}

/** On how many devices of the current ring the version does not work, of how many. */
export const readTriedKinds = (
  { rolloutDevices }: Pick<Transaction, 'rolloutDevices'>,
  { id, ring }: Pick<RolloutRow, 'id' | 'ring'>,
): Promise<TriedKind[]> => rolloutDevices.triedByKind(id, ring, NOT_OF_THE_VERSION);
