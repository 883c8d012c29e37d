/** How far ahead of its interval a screen may be: networks delay one poll and not the next. */
const AHEAD_MS = 5000;
/** Beyond this, sessions that were not polled lately are forgotten. */
const MOST_SESSIONS = 10_000;

/**
 * Counts polls. Each takes up one interval, from the end of the one before or from now: a screen that keeps to
 * the interval is never refused, however late some of its polls arrive. Kept in memory: a poll is no write.
 */
export interface PollPace {
  /** False for a session that is polled too often; that poll does not count. */
  take(sessionId: string, intervalSeconds: number, nowMs: number): boolean;
}

export function createPollPace(): PollPace {
  /** Until when the polls so far suffice. */
  const pacedUntilMs = new Map<string, number>();
  return {
    take(sessionId, intervalSeconds, nowMs) {
      const intervalMs = intervalSeconds * 1000;
      const aheadMs = Math.max(0, (pacedUntilMs.get(sessionId) ?? nowMs) - nowMs);
      // Further ahead than any poll takes it: our clock was set back.
      const usedMs = aheadMs > AHEAD_MS + intervalMs ? 0 : aheadMs;
      if (usedMs > AHEAD_MS) return false;
      pacedUntilMs.delete(sessionId);
      pacedUntilMs.set(sessionId, nowMs + usedMs + intervalMs);
      for (const [oldest] of pacedUntilMs) {
        if (pacedUntilMs.size <= MOST_SESSIONS) break;
        pacedUntilMs.delete(oldest);
      }
      return true;
    },
  };
}
