/** A clock that advances only by `advance`; timers run in order of their due times. */
export interface ManualClock {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Runs once after the delay; the returned function cancels it. */
  setTimer(delayMs: number, run: () => void): () => void;
  advance(ms: number): void;
}

export function createManualClock(startMs: number): ManualClock {
  let now = startMs;
  let count = 0;
  const timers = new Map<number, { atMs: number; run: () => void }>();
  return {
    nowMs: () => now,
    setTimer(delayMs, run) {
      const id = count++;
      timers.set(id, { atMs: now + Math.max(0, delayMs), run });
      return () => timers.delete(id);
    },
    advance(ms) {
      const end = now + ms;
      for (;;) {
        const due = [...timers].filter(([, timer]) => timer.atMs <= end);
        const next = due.toSorted((a, b) => a[1].atMs - b[1].atMs || a[0] - b[0])[0];
        if (!next) {
          break;
        }
        timers.delete(next[0]);
        now = Math.max(now, next[1].atMs);
        next[1].run();
      }
      now = end;
    },
  };
}
