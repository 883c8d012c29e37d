import type { ZoneTable } from '@placard/protocol';
import { listZoneTransitions } from '@placard/schedule';
import { DAY_MS } from './durations.ts';

/** The year that tables start with. */
export const zoneTableYear = (nowMs: number): number => new Date(nowMs).getUTCFullYear();

/**
 * Provides the UTC offsets of a time zone for manifests.
 *
 * @param version of the time zone data of this runtime: `2026c`
 */
export function createZoneTableCache(version: string) {
  let cached: { timezone: string; year: number; table: ZoneTable } | null = null;
  return {
    version,
    /** Covers the day before this year to the end of the year after next: constant all year, so the revision is as well. */
    tableOf(timezone: string, nowMs: number): ZoneTable {
      const year = zoneTableYear(nowMs);
      if (cached?.timezone === timezone && cached.year === year) {
        return cached.table;
      }
      const zone = listZoneTransitions(timezone, Date.UTC(year, 0, 1) - DAY_MS, Date.UTC(year + 3, 0, 1));
      const table = { version, zones: { [timezone]: { ...zone, transitions: [...zone.transitions] } } };
      cached = { timezone, year, table };
      return table;
    },
  };
}

export type ZoneTableCache = ReturnType<typeof createZoneTableCache>;
