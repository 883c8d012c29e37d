import type { CloudDatabase, Transaction } from '../database/cloud-database.ts';
import type { ComparedRow } from '../database/rollout-devices.ts';
import type { RolloutRow } from '../database/rollouts.ts';
import { DAY_MS } from '../domain/durations.ts';
import { parseHealth, recentTotals, subtractTotals, totalsUntil } from '../domain/device-health.ts';
import { SILENT_AFTER_MS } from '../domain/rollout-comparison.ts';
import type { ComparedDevice } from '../domain/rollout-comparison.ts';

/** Devices of a ring, spread over it, and of those whose turn comes next. */
const MAX_COMPARED = 2000;

/** Remembers what the devices of a ring that begins, and those after it, have reported so far. */
export async function rememberBefore(
  { rolloutDevices }: Transaction,
  { id, ring }: RolloutRow,
  nowMs: number,
): Promise<void> {
  const range = await rolloutDevices.rangeOfRing(id, ring);
  await rolloutDevices.rememberBefore(id, range, {
    step: Math.max(1, Math.ceil((range.end - range.first) / MAX_COMPARED)),
    others: MAX_COMPARED,
    heardSinceMs: nowMs - DAY_MS,
  });
}

/** Remembers what they have reported by now: what comes after is compared. */
export async function rememberAfter(
  { rolloutDevices }: Transaction,
  { id, ring }: RolloutRow,
): Promise<void> {
  await rolloutDevices.rememberAfter(id, await rolloutDevices.rangeOfRing(id, ring), MAX_COMPARED);
}

export async function readComparedDevices(
  { rolloutDevices }: Pick<CloudDatabase, 'rolloutDevices'>,
  { id, ring, version }: Pick<RolloutRow, 'id' | 'ring' | 'version'>,
  nowMs: number,
): Promise<ComparedDevice[]> {
  const rows = await rolloutDevices.compared(id, await rolloutDevices.rangeOfRing(id, ring), MAX_COMPARED);
  return rows.flatMap((row) => {
    const isTold = row.status !== 'waiting';
    // What has changed its version by itself says nothing of those that have not.
    if (!isTold && row.player_version !== row.from_version) {
      return [];
    }
    const runsVersion = row.player_version === (isTold ? version : row.from_version);
    return [
      {
        kind: row.kind,
        isTold,
        isSilent: (row.last_seen ?? 0) < nowMs - SILENT_AFTER_MS,
        health: runsVersion ? beforeAndAfter(row) : null,
      },
    ];
  });
}

/** Of a device of which both are remembered: before its ring began, and since it is observed. */
function beforeAndAfter({
  health_before,
  health_after,
  health,
  last_heartbeat,
}: ComparedRow): ComparedDevice['health'] {
  if (health_before === null || health_after === null || health === null || last_heartbeat === null) {
    return null;
  }
  const [before, from] = [remembered(health_before), remembered(health_after)];
  return {
    before: recentTotals(before.health, before.lastMs),
    after: subtractTotals(
      totalsUntil(parseHealth(health), last_heartbeat),
      totalsUntil(from.health, from.lastMs),
    ),
  };
}

/** `health` and the time of the heartbeat, as they were remembered. */
function remembered(text: string) {
  const end = text.lastIndexOf('@');
  return { health: parseHealth(text.slice(0, end)), lastMs: Number(text.slice(end + 1)) };
}
