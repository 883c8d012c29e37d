import type { ZoneTable, ZoneTransitions } from '@placard/protocol';
import { listZoneTransitions } from '@placard/schedule';
import { DAY_MS } from './durations.ts';

/** The year that tables start with. */
export const zoneTableYear = (nowMs: number): number => new Date(nowMs).getUTCFullYear();

/** More names than there are zones, with their other spellings. */
const MAX_ZONES = 1000;

/**
 * Provides the UTC offsets of time zones for manifests: from the day before this year to the end of the year after next,
 * which is constant all year, so that revisions are as well. A zone takes some milliseconds, once a year.
 *
 * @param version of the time zone data of this runtime: `2026c`
 */
export function createZoneTableCache(version: string) {
  let cached: { year: number; zones: Map<string, ZoneTransitions | null> } = { year: 0, zones: new Map() };

  function findZone(timezone: string, nowMs: number): ZoneTransitions | null {
    const year = zoneTableYear(nowMs);
    if (cached.year !== year || cached.zones.size >= MAX_ZONES) {
      cached = { year, zones: new Map() };
    }
    const found = cached.zones.get(timezone);
    if (found !== undefined) {
      return found;
    }
    const zone = readZone(timezone, Date.UTC(year, 0, 1) - DAY_MS, Date.UTC(year + 3, 0, 1));
    cached.zones.set(timezone, zone);
    return zone;
  }

  return {
    version,
    /** Null when this runtime does not know the zone. */
    findZone,
    /** @throws RangeError when this runtime does not know the zone */
    tableOf(timezone: string, nowMs: number): ZoneTable {
      const zone = findZone(timezone, nowMs);
      if (!zone) {
        throw new RangeError(`unknown time zone: ${timezone}`);
      }
      return { version, zones: { [timezone]: zone } };
    },
  };
}

function readZone(timezone: string, fromMs: number, untilMs: number): ZoneTransitions | null {
  try {
    const zone = listZoneTransitions(timezone, fromMs, untilMs);
    return { ...zone, transitions: [...zone.transitions] };
  } catch (error) {
    if (error instanceof RangeError) {
      return null;
    }
    throw error;
  }
}

export type ZoneTableCache = ReturnType<typeof createZoneTableCache>;
