import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../core/ports.ts';

export type RateLimit = (bytes: number, signal: AbortSignal) => Promise<void>;

/** Shorter waits are not worth a timer; they are added to the next one. */
const MIN_WAIT_MS = 5;

const SYSTEM_CLOCK: Pick<Clock, 'monoMs' | 'sleep'> = {
  monoMs: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
};

/** Parallel downloads share one limit: each waits for its turn, and TCP flow control slows the sender. */
export function createRateLimit(bytesPerSecond: number | null, clock = SYSTEM_CLOCK): RateLimit {
  let availableAtMonoMs = 0;
  return async (bytes, signal) => {
    if (bytesPerSecond === null) {
      return;
    }
    availableAtMonoMs = Math.max(availableAtMonoMs, clock.monoMs()) + (bytes / bytesPerSecond) * 1_000;
    const waitMs = availableAtMonoMs - clock.monoMs();
    if (waitMs > MIN_WAIT_MS) {
      await clock.sleep(waitMs, signal);
    }
  };
}
