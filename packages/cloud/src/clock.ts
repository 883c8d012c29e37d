import type { Clock } from './domain/clock.ts';

/** The time of this machine. */
export const systemClock: Clock = {
  nowMs: () => Date.now(),
  setTimer(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    // A timer never keeps a process alive that was told to stop.
    timer.unref();
    return () => clearTimeout(timer);
  },
};
