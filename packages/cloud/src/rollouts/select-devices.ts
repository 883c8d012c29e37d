import { FIRST_CURSOR } from '@placard/protocol/api';
import type { CloudDatabase, Transaction } from '../database/cloud-database.ts';
import { slicesOf } from '../database/paging.ts';
import type { SelectableDevice } from '../database/rollout-devices.ts';
import { ringsOf, rolloutFilterOf, storedCause } from '../database/rollouts.ts';
import type { RolloutRow } from '../database/rollouts.ts';
import { NONE, parseHealth } from '../domain/device-health.ts';
import { nameKind } from '../domain/rollout-kind.ts';
import { orderDevices, ringEnds } from '../domain/rollout-order.ts';
import type { RolloutCandidate } from '../domain/rollout-order.ts';
import { isOlderVersion } from '../domain/version-order.ts';
import { createYieldIfLong } from '../event-loop/yield-if-long.ts';
import { beginningOfRing, changeRollout, OWNER } from './change-rollout.ts';

interface Candidate extends RolloutCandidate {
  version: string;
  /** Its player does not wait for its turn. */
  isSelfUpdating: boolean;
}

/** Devices that are read, or added, at once. */
const SELECTED_AT_ONCE = 500;

/** Puts the devices that the filter finds into their order and rings. Begins again when it was interrupted. */
export async function selectDevices(
  database: CloudDatabase,
  row: RolloutRow,
  { nowMs, mayGoOn }: { nowMs: number; mayGoOn: () => boolean },
): Promise<void> {
  const yieldIfLong = createYieldIfLong();
  const candidates: Candidate[] = [];
  for (let cursor: string | null = FIRST_CURSOR; cursor !== null;) {
    const page = await database.devices.list({
      ...rolloutFilterOf(row),
      cursor,
      page: 1,
      limit: SELECTED_AT_ONCE,
    });
    const found =
      page.rows.length === 0 ? [] : await database.rolloutDevices.selectable(page.rows.map(({ id }) => id));
    candidates.push(...found.map(toCandidate).filter(({ version }) => isOlderVersion(version, row.version)));
    cursor = page.nextCursor;
    await yieldIfLong();
  }
  const ends = ringEnds(ringsOf(row), candidates.length);
  const order = orderDevices(row.id, candidates, ends[0] ?? 0);
  const placed = order.slice(0, ends.at(-1)).map((device, position) => ({
    position,
    device_id: device.id,
    ring: ends.findIndex((end) => position < end) + 1,
    kind: device.kind,
    from_version: device.version,
  }));
  /** Runs while nobody else has stopped it or goes on with it. */
  const add = (run: (tx: Transaction, locked: RolloutRow) => Promise<boolean>) =>
    database.transaction(
      async (tx) => {
        const locked = await tx.rollouts.lock(row.id);
        return locked?.status === 'selecting' && mayGoOn() ? run(tx, locked) : null;
      },
      { owner: OWNER },
    );
  // Of a selection that was interrupted.
  let isDeleting: boolean | null = true;
  while (isDeleting) {
    isDeleting = await add((tx) => tx.rolloutDevices.deleteSome(row.id));
  }
  for (const slice of slicesOf(placed, SELECTED_AT_ONCE)) {
    await add(async (tx) => {
      await tx.rolloutDevices.add(row.id, slice);
      return true;
    });
  }
  await add(async (tx, locked) => {
    const selected = {
      ...beginningOfRing(1),
      fleet: placed.length,
      self_updating: order.filter(({ isSelfUpdating }) => isSelfUpdating).length,
    };
    if (placed.length === 0) {
      const cause = storedCause({ type: 'nothing_older' });
      const finished = { ...selected, status: 'finished', ...cause, finished_at: nowMs } as const;
      await changeRollout(tx, locked, finished, 'rollout.finished');
    } else {
      await changeRollout(tx, locked, { ...selected, status: 'running' }, 'rollout.progress');
    }
    return true;
  });
}

function toCandidate({
  id,
  platform,
  player_version,
  hardware,
  online,
  health,
}: SelectableDevice): Candidate {
  const { model }: { model?: string | null } = hardware === null ? {} : JSON.parse(hardware);
  const known = health === null ? null : parseHealth(health);
  return {
    id,
    version: player_version,
    kind: nameKind(model ?? platform, known?.shell ?? null),
    isOnline: online === 1,
    isSelfUpdating: (known?.starts ?? NONE) === NONE,
  };
}
