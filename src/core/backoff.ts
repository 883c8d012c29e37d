/**
 * Exponential back-off with full jitter, so that thousands of players that lost the cloud together do not come
 * back together. `attempt` counts from 0; `chance` is 0 ≤ n < 1. At least a tenth of the ceiling is waited.
 */
export function backoffMs(
  attempt: number,
  chance: number,
  limits: { baseMs: number; capMs: number },
): number {
  const ceiling = Math.min(limits.capMs, limits.baseMs * 2 ** Math.min(attempt, 30));
  return Math.round(ceiling * (0.1 + 0.9 * chance));
}
