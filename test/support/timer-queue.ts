interface Timer {
  atMs: number;
  run(): void;
}

/** The timers of a manual clock. */
export interface TimerQueue {
  /** Returns a function that cancels the timer. */
  add(atMs: number, run: () => void): () => void;
  /** Removes and returns the next timer due by this time: the earliest, or of equal ones the one added first. */
  takeDue(untilMs: number): Timer | null;
  readonly size: number;
}

export function createTimerQueue(): TimerQueue {
  const timers = new Set<Timer>();
  return {
    add(atMs, run) {
      const timer = { atMs, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    takeDue(untilMs) {
      let first: Timer | null = null;
      for (const timer of timers) {
        if (timer.atMs <= untilMs && (first === null || timer.atMs < first.atMs)) {
          first = timer;
        }
      }
      if (first !== null) {
        timers.delete(first);
      }
      return first;
    },
    get size() {
      return timers.size;
    },
  };
}
