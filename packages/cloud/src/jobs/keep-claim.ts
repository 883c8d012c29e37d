import type { ClaimedRendition } from '../database/renditions.ts';
import type { JobDeps } from './deps.ts';

/** After a node was lost, another one takes over after this time. */
export const LEASE_MS = 60_000;
const RENEW_INTERVAL_MS = 15_000;

/** Of an attempt. */
export interface Progress {
  /** It has finished a part. */
  hasPart: boolean;
}

interface KeepClaimDeps extends Pick<JobDeps, 'database' | 'clock'> {
  /** Whether this node may go on. */
  mayWork: () => boolean;
}

/**
 * Keeps the claim of a rendition while the work goes on, and stops the work when it may not. Once a part is finished, attempts
 * that a kill has ended do not count. Returns a function that ends this.
 */
export function keepClaim(
  claim: ClaimedRendition,
  progress: Readonly<Progress>,
  stopping: AbortController,
  { database, clock, mayWork }: KeepClaimDeps,
): () => Promise<void> {
  let cancelTimer: (() => void) | null = null;
  let renewal: Promise<void> = Promise.resolve();
  const renew = async () => {
    if (!mayWork()) {
      stopping.abort();
      return;
    }
    const untilMs = clock.nowMs() + LEASE_MS;
    const isKept = await database.transaction(
      async (tx) =>
        (await tx.organization.wantsRenditions()) &&
        (await tx.renditions.renew(claim, untilMs, progress.hasPart ? 1 : claim.attempts)),
    );
    if (isKept) {
      claim.leased_until = untilMs;
      schedule();
    } else {
      stopping.abort();
    }
  };
  const schedule = () => {
    cancelTimer = clock.setTimer(RENEW_INTERVAL_MS, () => {
      // Without the database the work cannot be stored either.
      renewal = renew().catch(() => stopping.abort());
    });
  };
  schedule();
  return async () => {
    cancelTimer?.();
    await renewal;
    // It may have set the next one.
    cancelTimer?.();
  };
}
