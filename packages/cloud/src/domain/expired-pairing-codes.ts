/** Beyond this the oldest are dropped. */
const MAX_CODES = 5_000;
const RETENTION_MS = 15 * 60_000;

/** Codes of recently expired pairing sessions, so that a late user gets "expired" instead of "unknown code". */
export function createExpiredPairingCodes() {
  const expiredAtMs = new Map<string, number>();
  return {
    add(codes: readonly string[], nowMs: number): void {
      for (const code of codes) {
        expiredAtMs.delete(code);
        expiredAtMs.set(code, nowMs);
      }
      for (const [code, atMs] of expiredAtMs) {
        if (expiredAtMs.size <= MAX_CODES && nowMs - atMs < RETENTION_MS) {
          break;
        }
        expiredAtMs.delete(code);
      }
    },
    has(code: string, nowMs: number): boolean {
      const atMs = expiredAtMs.get(code);
      return atMs !== undefined && nowMs - atMs < RETENTION_MS;
    },
  };
}

export type ExpiredPairingCodes = ReturnType<typeof createExpiredPairingCodes>;
