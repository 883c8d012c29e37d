import { backoffMs } from './backoff.ts';

/** At most 45 s: a player that met several nodes that were about to end shall be back within a minute. */
export const SOCKET_RETRY = { baseMs: 5_000, capMs: 45_000 };
/**
 * All players of a node lose their sockets at once when it ends. If thousands came back within 5 s, requests to the other
 * nodes would wait for more than a second (`docs/scale.md`).
 */
const RETRY_AFTER_STABLE = { baseMs: 10_000, capMs: 10_000 };
/** A socket open for less does not reset the backoff: a cloud that welcomes and closes is not called in a loop. */
export const STABLE_SOCKET_MS = 20_000;
/** Another player has taken this device's socket: reconnecting at once would only replace it in turn. */
const REPLACED_MS = 30_000;
/** Added to the wait that the cloud asks for. */
const MAX_HINT_JITTER_MS = 500;

interface ClosedSocket {
  isStable: boolean;
  /** A newer socket of the same device took over. */
  isReplaced: boolean;
  /** What the cloud asked for when it closed the socket: it spreads its players by what it says to each. */
  retryAfterMs: number | null;
  /** Sockets before it that were not stable. */
  attempt: number;
}

/** How long to wait after a socket that was open has closed. 0 ≤ `random` < 1. */
export function socketRetryMs(
  { isStable, isReplaced, retryAfterMs, attempt }: ClosedSocket,
  random: number,
): number {
  const replacedMs = isReplaced ? REPLACED_MS : 0;
  if (!isStable) {
    return replacedMs + Math.max(retryAfterMs ?? 0, backoffMs(attempt, random, SOCKET_RETRY));
  }
  return retryAfterMs === null
    ? replacedMs + backoffMs(0, random, RETRY_AFTER_STABLE)
    : replacedMs + retryAfterMs + Math.round(random * MAX_HINT_JITTER_MS);
}
