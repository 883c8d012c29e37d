import { setMostRecent } from './lru-map.ts';

/** How early a poll may arrive: network delay varies between polls. */
const TOLERANCE_MS = 5000;
/** Beyond this the least recently polled sessions are dropped. */
const MAX_SESSIONS = 10_000;

/**
 * Rate-limits polls. Each poll reserves one interval, starting when the previous reservation ends or now: a device
 * that keeps to the interval is never refused, however late single polls arrive. Kept in memory, so that a poll
 * writes nothing. The function returns false if the session polls too often; that poll does not count.
 */
export function createPollRateLimit() {
  /** End of the last reserved interval, by session id. */
  const reservedUntilMs = new Map<string, number>();
  return (sessionId: string, intervalSeconds: number, nowMs: number): boolean => {
    const intervalMs = intervalSeconds * 1000;
    const aheadMs = Math.max(0, (reservedUntilMs.get(sessionId) ?? nowMs) - nowMs);
    // Further ahead than a poll can reserve: the server's clock was set back.
    const usedMs = aheadMs > TOLERANCE_MS + intervalMs ? 0 : aheadMs;
    if (usedMs > TOLERANCE_MS) {
      return false;
    }
    setMostRecent(reservedUntilMs, sessionId, nowMs + usedMs + intervalMs, MAX_SESSIONS);
    return true;
  };
}
