import type { Clock } from '../../src/core/ports.ts';

/** Node fires a timer at once when its delay is longer than this. */
const MAX_TIMER_MS = 2 ** 31 - 1;

export type SimulationClock = Pick<Clock, 'monoMs' | 'wallMs' | 'sleep'>;

/** The clock of this machine. Thousands sleep at the same time, so it creates neither errors nor iterators for them. */
export const systemClock: SimulationClock = {
  monoMs: () => performance.now(),
  wallMs: () => Date.now(),
  sleep: (ms, signal) =>
    new Promise((resolve) => {
      if (signal.aborted) {
        return resolve();
      }
      const wake = () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      const timer = setTimeout(wake, Math.min(Math.max(0, ms), MAX_TIMER_MS));
      signal.addEventListener('abort', wake, { once: true });
    }),
};
