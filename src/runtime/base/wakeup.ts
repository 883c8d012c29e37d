import type { Clock } from '../../core/ports.ts';

/** Given for each wakeup: without a reason, `abort` makes an error with a stack trace, several times a second. */
const WOKEN = 'woken';

/** Ends the wait of a loop early. A wakeup while nobody waits is kept for the next wait, so none is lost. */
export interface Wakeup {
  readonly wake: () => void;
  /** Resolves on a wakeup, after this many milliseconds, or when the signal aborts; never rejects. */
  wait(ms: number, signal: AbortSignal): Promise<void>;
}

export function createWakeup(clock: Clock): Wakeup {
  let isPending = false;
  let wakeSleeper: (() => void) | null = null;
  return {
    wake() {
      isPending = true;
      wakeSleeper?.();
    },
    async wait(ms, signal) {
      if (!isPending && !signal.aborted) {
        // No AbortSignal.any: the service's signal lives for months and would accumulate dependent signals.
        const sleepAbort = new AbortController();
        const abortSleep = () => sleepAbort.abort(WOKEN);
        wakeSleeper = abortSleep;
        signal.addEventListener('abort', abortSleep, { once: true });
        await clock.sleep(ms, sleepAbort.signal);
        signal.removeEventListener('abort', abortSleep);
        wakeSleeper = null;
      }
      isPending = false;
    },
  };
}
