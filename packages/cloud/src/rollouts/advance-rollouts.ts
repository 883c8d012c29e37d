import type { Logger } from 'pino';
import type { CloudDatabase, Transaction } from '../database/cloud-database.ts';
import { ringsOf, storedCause } from '../database/rollouts.ts';
import type { RolloutRow } from '../database/rollouts.ts';
import type { Clock } from '../domain/clock.ts';
import { DAY_MS } from '../domain/durations.ts';
import { findBroken } from '../domain/rollout-comparison.ts';
import { devicesDue } from '../domain/rollout-pace.ts';
import { decideStep } from '../domain/rollout-plan.ts';
import type { RingCounts, RolloutStep } from '../domain/rollout-plan.ts';
import { storageFailureOf } from '../domain/storage-failure.ts';
import { beginningOfRing, changeRollout, OWNER, stopRollout } from './change-rollout.ts';
import { collectAnswers, readTriedKinds } from './collect-answers.ts';
import { readComparedDevices, rememberAfter, rememberBefore } from './compare-devices.ts';
import { selectDevices } from './select-devices.ts';
import { tellDevices } from './tell-devices.ts';
import type { TellDeps } from './tell-devices.ts';

/** Devices of one transaction: everybody else who writes waits for it. */
const TOLD_AT_ONCE = 25;
/** How long devices may still answer after the end of a rollout: a command is valid for a week. */
const AWAITED_MS = 8 * DAY_MS;

export interface RolloutJobDeps extends TellDeps {
  database: CloudDatabase;
  clock: Clock;
  log: Logger;
  /** Whether this node is the one that works on rollouts. */
  isLeader: () => boolean;
}

/**
 * Works on the rollouts that have not ended, and reads what devices of others answer late; called at intervals, on the leader. What is
 * stored says how far each is, and each step is a transaction that reads it first, so that a restart, or another leader, goes on.
 */
export function createRolloutJob(deps: RolloutJobDeps): () => Promise<void> {
  const { database, clock, log, isLeader } = deps;

  /** Runs unless the rollout was changed meanwhile. */
  const change = (before: RolloutRow, run: (tx: Transaction, row: RolloutRow) => Promise<unknown>) =>
    database.transaction(
      async (tx) => {
        const row = await tx.rollouts.lock(before.id);
        const isSame =
          row?.status === before.status &&
          row.ring === before.ring &&
          row.ring_started_at === before.ring_started_at &&
          row.observed_from === before.observed_from &&
          row.looks === before.looks;
        if (row && isSame && isLeader()) {
          await run(tx, row);
        }
      },
      { owner: OWNER },
    );

  const tell = async (row: RolloutRow, waiting: number, nowMs: number): Promise<void> => {
    const due = devicesDue(row.fleet, row.told_at, nowMs);
    const count = Math.min(due.count, waiting);
    for (let told = 0; told < count && isLeader();) {
      const limit = Math.min(count - told, TOLD_AT_ONCE);
      told += limit;
      const accounted = due.accountedAfter(told);
      await change(row, async (tx, locked) => {
        await tellDevices(tx, locked, { ...deps, limit, nowMs });
        await changeRollout(tx, locked, { told_at: accounted }, 'rollout.progress');
      });
    }
  };

  const apply = (before: RolloutRow, step: RolloutStep, nowMs: number) =>
    change(before, async (tx, row) => {
      switch (step.type) {
        case 'wait':
          return;
        case 'observe':
          await rememberAfter(tx, row);
          await tx.rollouts.update(row.id, { observed_from: nowMs });
          return;
        case 'looked':
          await tx.rollouts.update(row.id, { looks: step.looks, compared: step.compared });
          return;
        case 'next_ring':
          await tx.rollouts.update(row.id, beginningOfRing(row.ring + 1));
          return;
        case 'hold':
          await changeRollout(tx, row, { status: 'held', ...storedCause(step.cause) }, 'rollout.held');
          return;
        case 'stop':
          await stopRollout(tx, row, step.cause, nowMs);
          return;
        case 'finish':
        default:
          await changeRollout(tx, row, { status: 'finished', finished_at: nowMs }, 'rollout.finished');
      }
    });

  const advance = async (row: RolloutRow): Promise<void> => {
    const nowMs = clock.nowMs();
    if (row.status === 'selecting') {
      await selectDevices(database, row, { nowMs, mayGoOn: isLeader });
      return;
    }
    await change(row, async (tx, locked) => {
      if (await collectAnswers(tx, locked, nowMs)) {
        await changeRollout(tx, locked, { counts: null }, 'rollout.progress');
      }
    });
    if (row.finished_at !== null) {
      return;
    }
    const isLast = row.ring === ringsOf(row).length;
    if (row.ring_started_at === null) {
      await change(row, async (tx, locked) => {
        if (!isLast) {
          await rememberBefore(tx, locked, nowMs);
        }
        await changeRollout(tx, locked, { ring_started_at: nowMs }, 'rollout.advanced');
      });
      return;
    }
    const broken = findBroken(await readTriedKinds(database, row));
    if (row.status === 'held') {
      if (broken) {
        await apply(row, { type: 'stop', cause: broken.cause }, nowMs);
      }
      return;
    }
    const counts = await countRing(database, row, nowMs);
    const ring = {
      toldAtMs: row.told_at,
      observedFromMs: row.observed_from,
      looks: row.looks,
      compared: row.compared,
      holdHours: row.hold_hours,
      isLast,
    };
    const step = await decideStep(ring, counts, broken, nowMs, () =>
      readComparedDevices(database, row, nowMs),
    );
    if (step.type !== 'wait') {
      await apply(row, step, nowMs);
    } else if (counts.waiting > 0) {
      await tell(row, counts.waiting, nowMs);
    }
  };

  return async () => {
    const awaitedSinceMs = clock.nowMs() - AWAITED_MS;
    const ended = await database.rollouts.awaiting(awaitedSinceMs);
    for (const row of [...(await database.rollouts.unfinished()), ...ended]) {
      try {
        await advance(row);
      } catch (error) {
        if (storageFailureOf(error) !== null) {
          throw error;
        }
        log.error({ rollout_id: row.id, err: error }, 'rollouts.failed');
      }
    }
    await storeCounts(database, awaitedSinceMs);
  };
}

/** Stores what became of the devices of rollouts of which none is awaited any longer: there may be as many as the fleet has. */
async function storeCounts(database: CloudDatabase, endedBeforeMs: number): Promise<void> {
  for (const id of await database.rollouts.uncounted(endedBeforeMs)) {
    const counts = JSON.stringify(await database.rolloutDevices.countByRing(id));
    await database.transaction((tx) => tx.rollouts.update(id, { counts }), { owner: OWNER });
  }
}

async function countRing(
  { rolloutDevices }: Pick<CloudDatabase, 'rolloutDevices'>,
  row: RolloutRow,
  nowMs: number,
): Promise<RingCounts> {
  const counts = await rolloutDevices.countByRing(row.id, row.ring);
  const of = (wanted: string) => counts.find(({ status }) => status === wanted)?.devices ?? 0;
  const [waiting, told, updated, failed] = [of('waiting'), of('told'), of('updated'), of('failed')];
  return {
    chosen: waiting + told + updated + failed,
    waiting,
    told,
    failed,
    alive: await rolloutDevices.countAlive(row, nowMs - DAY_MS),
  };
}
