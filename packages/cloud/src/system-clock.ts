import type { Clock } from './domain/clock.ts';

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  setTimer(delayMs, run) {
    const timer = setTimeout(run, delayMs);
    // Timers must not keep a stopping process alive.
    timer.unref();
    return () => clearTimeout(timer);
  },
};
