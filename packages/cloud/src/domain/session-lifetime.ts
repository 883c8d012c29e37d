import { DAY_MS } from './durations.ts';

/** How long a session lasts at most. */
export const SESSION_LIFETIME_MS = 30 * DAY_MS;
/** A session that is not used for as long ends. */
export const SESSION_IDLE_MS = 7 * DAY_MS;

/** Whether a session still counts. */
export const isSessionLive = (
  { expires_at: expiresMs, last_used_at: usedMs }: { expires_at: number; last_used_at: number },
  nowMs: number,
): boolean => expiresMs > nowMs && usedMs + SESSION_IDLE_MS > nowMs;
