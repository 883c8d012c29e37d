import type { Clock } from '../core/ports.ts';

/** Wakes a loop before its time. A ring that nobody waits for is kept, so none is ever missed. */
export interface Bell {
  readonly ring: () => void;
  /** Resolves on a ring, after this many milliseconds, or when the signal aborts; never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createBell(clock: Clock): Bell {
  let rung = false;
  let wake: (() => void) | null = null;
  return {
    ring() {
      rung = true;
      wake?.();
    },
    async wait(ms, signal) {
      if (!rung && !signal.aborted) {
        // No AbortSignal.any: the service's signal lives for months, and would collect them.
        const rest = new AbortController();
        const stop = () => rest.abort();
        wake = stop;
        signal.addEventListener('abort', stop, { once: true });
        await clock.sleep(ms, rest.signal);
        signal.removeEventListener('abort', stop);
        wake = null;
      }
      rung = false;
    },
  };
}
