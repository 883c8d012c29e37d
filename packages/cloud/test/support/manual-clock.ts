import type { Clock } from '@placard/cloud';
import { createTimerQueue } from '../../../../test/support/timer-queue.ts';

export interface ManualClock extends Clock {
  /** Advances the time and runs the timers that become due. */
  advance(ms: number): void;
}

/** A clock that advances only by `advance`. */
export function createManualClock(startMs = Date.UTC(2026, 10, 20, 12, 0, 0)): ManualClock {
  let nowMs = startMs;
  const timers = createTimerQueue();
  return {
    nowMs: () => nowMs,
    setTimer: (delayMs, run) => timers.add(nowMs + Math.max(0, delayMs), run),
    advance(ms) {
      const untilMs = nowMs + ms;
      for (let due = timers.takeDue(untilMs); due; due = timers.takeDue(untilMs)) {
        nowMs = Math.max(nowMs, due.atMs);
        due.run();
      }
      nowMs = untilMs;
    },
  };
}
