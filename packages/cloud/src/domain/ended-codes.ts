/** Beyond this the oldest are forgotten. */
const MOST_CODES = 5_000;
const KEEP_MS = 15 * 60_000;

/** Codes of sessions that expired lately: whoever types one a moment too late is told so. */
export interface EndedCodes {
  add(codes: readonly string[], nowMs: number): void;
  has(code: string, nowMs: number): boolean;
}

export function createEndedCodes(): EndedCodes {
  const endedMs = new Map<string, number>();
  return {
    add(codes, nowMs) {
      for (const code of codes) {
        endedMs.delete(code);
        endedMs.set(code, nowMs);
      }
      for (const [code, atMs] of endedMs) {
        if (endedMs.size <= MOST_CODES && nowMs - atMs < KEEP_MS) break;
        endedMs.delete(code);
      }
    },
    has(code, nowMs) {
      const atMs = endedMs.get(code);
      return atMs !== undefined && nowMs - atMs < KEEP_MS;
    },
  };
}
