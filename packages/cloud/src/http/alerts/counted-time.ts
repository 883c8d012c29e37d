import type { AlertRule } from '@placard/protocol/api';
import { createTimeZone } from '@placard/schedule';
import type { TimeZone } from '@placard/schedule';
import type { Row } from '../../database/schema.ts';
import type { ManifestContent } from '../../domain/manifest-content.ts';
import { openSinceMs } from '../../domain/opening-hours.ts';

/** What an alert may be about: a device, in its store; a store; or, without both, devices of any store. */
export interface Place {
  deviceId: string | null;
  storeId: string | null;
}

/** From when on minutes count that have begun at a time: Infinity when they do not count now. */
export type CountedSince = (place: Place, sinceMs: number) => number;

/** Knows when alerts may be opened: not while a device is muted, and within the opening hours of the rule. */
export function createCountedSince(
  mutes: readonly Row<'alert_mutes'>[],
  { settings, storeZones }: Pick<ManifestContent, 'settings' | 'storeZones'>,
  nowMs: number,
): (hours: AlertRule['opening_hours']) => CountedSince {
  const muted = new Set(mutes.map(({ kind, ref }) => `${kind} ${ref}`));
  const isMuted = ({ deviceId, storeId }: Place) =>
    muted.has('all ') || muted.has(`device ${deviceId}`) || muted.has(`store ${storeId}`);
  const zones = new Map<string, TimeZone>();
  const zoneOf = (storeId: string | null): string => storeZones.get(storeId ?? '') ?? settings.timezone;
  return (hours) => {
    /** By zone: since when it has been open, or Infinity. */
    const opened = new Map<string, number>();
    const openSince = (name: string): number => {
      const known = opened.get(name);
      if (known !== undefined || hours === null) {
        return known ?? -Infinity;
      }
      const zone = zones.get(name) ?? createTimeZone(name, settings.findZone(name) ?? undefined);
      zones.set(name, zone);
      const sinceMs = openSinceMs(hours, zone, nowMs) ?? Infinity;
      opened.set(name, sinceMs);
      return sinceMs;
    };
    return (place, sinceMs) =>
      isMuted(place) ? Infinity : Math.max(sinceMs, openSince(zoneOf(place.storeId)));
  };
}
