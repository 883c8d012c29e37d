import type { Transaction } from '../database/cloud-database.ts';
import { sleep } from '../domain/sleep.ts';
import type { JobDeps } from './deps.ts';

/** How many times as long as the transaction before it a pause is. */
const PAUSE_RATIO = 3;
/** The clock may be set meanwhile. */
const MAX_PAUSE_MS = 1_000;

/**
 * Runs the work for some devices at a time, each in a transaction, until it returns null. For 100,000 devices there are
 * thousands of transactions: between them it pauses, so that heartbeats and requests do not wait for one after another. Resolves
 * with false if it was stopped before the end.
 */
export async function forAllDevices(
  { database, clock }: Pick<JobDeps, 'database' | 'clock'>,
  stopping: AbortSignal,
  work: (tx: Transaction, after: number) => Promise<number | null>,
  options?: { freesSpace: boolean },
): Promise<boolean> {
  for (let after: number | null = 0; after !== null;) {
    if (stopping.aborted) {
      return false;
    }
    const from: number = after;
    const beganMs = clock.nowMs();
    after = await database.transaction((tx) => work(tx, from), options);
    const tookMs = clock.nowMs() - beganMs;
    if (after !== null && tookMs > 0) {
      await sleep(clock, Math.min(tookMs * PAUSE_RATIO, MAX_PAUSE_MS), stopping);
    }
  }
  return true;
}
