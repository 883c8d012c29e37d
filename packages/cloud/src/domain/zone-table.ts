import type { ZoneTable } from '@placard/protocol';
import { zoneTransitions } from '@placard/schedule';

const DAY_MS = 86_400_000;

/** Gives the clocks of a zone to manifests. */
export interface ZoneTables {
  /** From the day before this year to the end of the year after the next: the same all year, and so is the revision. */
  tableOf(timezone: string, nowMs: number): ZoneTable;
  /** Version of the time zone data: `2026c`. */
  readonly version: string;
}

/** The year that tables are made for. */
export const zoneYear = (nowMs: number): number => new Date(nowMs).getUTCFullYear();

/** @param version of the data of this runtime */
export function createZoneTables(version: string): ZoneTables {
  let held: { timezone: string; year: number; table: ZoneTable } | null = null;
  return {
    version,
    tableOf(timezone, nowMs) {
      const year = zoneYear(nowMs);
      if (held?.timezone === timezone && held.year === year) return held.table;
      const zone = zoneTransitions(timezone, Date.UTC(year, 0, 1) - DAY_MS, Date.UTC(year + 3, 0, 1));
      const table = { version, zones: { [timezone]: { ...zone, transitions: [...zone.transitions] } } };
      held = { timezone, year, table };
      return table;
    },
  };
}
