const DAY_MS = 86_400_000;

/** How much of something each device, or key, may bring on one day (UTC). Kept in memory. */
export interface DailyQuota {
  readonly limit: number;
  /** What is left for the device today. */
  left(deviceId: string, nowMs: number): number;
  add(deviceId: string, count: number, nowMs: number): void;
  /** True once a day for each device: that is when its operator is told. */
  firstOver(deviceId: string, nowMs: number): boolean;
}

export function createDailyQuota(limit: number): DailyQuota {
  let day = -1;
  const counts = new Map<string, number>();
  const told = new Set<string>();
  const today = (nowMs: number): void => {
    const now = Math.floor(nowMs / DAY_MS);
    if (now === day) return;
    day = now;
    counts.clear();
    told.clear();
  };
  return {
    limit,
    left(deviceId, nowMs) {
      today(nowMs);
      return Math.max(0, limit - (counts.get(deviceId) ?? 0));
    },
    add(deviceId, count, nowMs) {
      today(nowMs);
      counts.set(deviceId, (counts.get(deviceId) ?? 0) + count);
    },
    firstOver(deviceId, nowMs) {
      today(nowMs);
      if (told.has(deviceId)) return false;
      told.add(deviceId);
      return true;
    },
  };
}

/** Whole seconds until the next day (UTC) begins. */
export const secondsToTomorrow = (nowMs: number): number => Math.ceil((DAY_MS - (nowMs % DAY_MS)) / 1000);
