import type { ZoneTable } from '@placard/protocol';
import { listZoneTransitions } from '@placard/schedule';
import { DAY_MS } from './durations.ts';

/** Provides the UTC offsets of a time zone for manifests. */
export interface ZoneTableCache {
  /**
   * Covers the day before this year to the end of the year after next: constant all year, so the revision is as well.
   */
  tableOf(timezone: string, nowMs: number): ZoneTable;
  /** Version of the time zone data: `2026c`. */
  readonly version: string;
}

/** The year that tables start with. */
export const zoneTableYear = (nowMs: number): number => new Date(nowMs).getUTCFullYear();

/** @param version of the data of this runtime */
export function createZoneTableCache(version: string): ZoneTableCache {
  let cached: { timezone: string; year: number; table: ZoneTable } | null = null;
  return {
    version,
    tableOf(timezone, nowMs) {
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
