import { DAY_MS } from './durations.ts';

/** How much each device or API key may use per day (UTC). Kept in memory. */
export function createDailyQuota(limit: number) {
  let day = -1;
  const counts = new Map<string, number>();
  const exceededOwners = new Set<string>();
  const resetOnNewDay = (nowMs: number): void => {
    const currentDay = Math.floor(nowMs / DAY_MS);
    if (currentDay === day) {
      return;
    }
    day = currentDay;
    counts.clear();
    exceededOwners.clear();
  };
  return {
    limit,
    /** What is left for the owner today. */
    remaining(ownerId: string, nowMs: number): number {
      resetOnNewDay(nowMs);
      return Math.max(0, limit - (counts.get(ownerId) ?? 0));
    },
    add(ownerId: string, count: number, nowMs: number): void {
      if (count === 0) {
        return;
      }
      resetOnNewDay(nowMs);
      counts.set(ownerId, (counts.get(ownerId) ?? 0) + count);
    },
    /** True once per day and owner, so that the excess is logged only once. */
    markExceeded(ownerId: string, nowMs: number): boolean {
      resetOnNewDay(nowMs);
      if (exceededOwners.has(ownerId)) {
        return false;
      }
      exceededOwners.add(ownerId);
      return true;
    },
  };
}

export type DailyQuota = ReturnType<typeof createDailyQuota>;

/** Whole seconds until the next day (UTC) begins. */
export const secondsUntilTomorrow = (nowMs: number): number => Math.ceil((DAY_MS - (nowMs % DAY_MS)) / 1000);
