import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../core/ports.ts';

export type Pace = (bytes: number, signal: AbortSignal) => Promise<void>;

/** A timer for less than this would cost more than it holds back; it is made up for by the next one. */
const SHORTEST_MS = 5;

const REAL: Pick<Clock, 'mono' | 'sleep'> = {
  mono: () => performance.now(),
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
};

/** Downloads side by side share one line: each takes its turn on it, and the socket's own flow control does the rest. */
export function createPace(bytesPerSecond: number | null, clock = REAL): Pace {
  let freeAtMono = 0;
  return async (bytes, signal) => {
    if (bytesPerSecond === null) return;
    freeAtMono = Math.max(freeAtMono, clock.mono()) + (bytes / bytesPerSecond) * 1_000;
    const waitMs = freeAtMono - clock.mono();
    if (waitMs > SHORTEST_MS) await clock.sleep(waitMs, signal);
  };
}
