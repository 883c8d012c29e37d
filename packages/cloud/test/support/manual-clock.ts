import type { Clock } from '@placard/cloud';

export interface ManualClock extends Clock {
  /** Advances the time and runs the timers that become due. */
  advance(ms: number): void;
}

/** A clock that advances only by `advance`. */
export function createManualClock(startMs = Date.UTC(2026, 10, 20, 12, 0, 0)): ManualClock {
  let nowMs = startMs;
  const timers = new Set<{ atMs: number; run: () => void }>();
  return {
    nowMs: () => nowMs,
    setTimer(delayMs, run) {
      const timer = { atMs: nowMs + delayMs, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    advance(ms) {
      const untilMs = nowMs + ms;
      for (;;) {
        const next = [...timers].toSorted((a, b) => a.atMs - b.atMs)[0];
        if (!next || next.atMs > untilMs) {
          break;
        }
        timers.delete(next);
        nowMs = Math.max(nowMs, next.atMs);
        next.run();
      }
      nowMs = untilMs;
    },
  };
}
