import type { AlertRule } from '@placard/protocol/api';
import { createTimeZone } from '@placard/schedule';
import type { TimeZone } from '@placard/schedule';
import type { ManifestContent } from '../domain/manifest-content.ts';
import { endOfObserved, overlapOf, startOfObserved } from '../domain/observed-time.ts';
import type { ObservedSpan } from '../domain/observed-time.ts';
import { openSpans } from '../domain/opening-hours.ts';

/** The time that counts for alerts of a rule: while the cloud was running, and within the opening hours. */
export interface CountedTime {
  /** What has lasted since then in the store has lasted so long; null: nothing has, or it is closed now. */
  startOf: (storeId: string | null, durationMs: number) => number | null;
  /** The last instant that is at most so long after the given one. */
  endOf: (storeId: string | null, fromMs: number, durationMs: number) => number;
}

/** Which zones stores are in, and what is known of zones. */
interface Zones extends Pick<ManifestContent, 'storeZones'> {
  settings: Pick<ManifestContent['settings'], 'timezone' | 'findZone'>;
}

type TimeOfZone = {
  startOf: (durationMs: number) => number | null;
  endOf: (fromMs: number, durationMs: number) => number;
};

const CLOSED: TimeOfZone = { startOf: () => null, endOf: (fromMs) => fromMs };

/** Computes the time that counts at each look; what it knows of time zones is kept, because it takes long to compute. */
export function createCountedTime() {
  const zones = new Map<string, { table: unknown; zone: TimeZone }>();
  const findZone = (name: string, settings: Zones['settings']): TimeZone => {
    const table = settings.findZone(name);
    const known = zones.get(name);
    if (known && known.table === table) {
      return known.zone;
    }
    const zone = createTimeZone(name, table ?? undefined);
    zones.set(name, { table, zone });
    return zone;
  };

  return (
    /** When the cloud was running, the newest first, until now. */
    spans: readonly ObservedSpan[],
    { settings, storeZones }: Zones,
    nowMs: number,
  ): ((hours: AlertRule['opening_hours']) => CountedTime) => {
    const withinHours = (hours: NonNullable<AlertRule['opening_hours']>, zone: TimeZone): TimeOfZone => {
      const open = remember(openSpans(hours, zone, nowMs));
      const [newest] = open;
      return newest && nowMs < newest.ended_at ? timeOf(remember(overlapOf(spans, open))) : CLOSED;
    };
    return (hours) => {
      const always = timeOf(spans);
      const byZone = new Map<string, TimeOfZone>();
      const timeIn = (storeId: string | null): TimeOfZone => {
        if (hours === null) {
          return always;
        }
        const name = storeZones.get(storeId ?? '') ?? settings.timezone;
        const time = byZone.get(name) ?? withinHours(hours, findZone(name, settings));
        byZone.set(name, time);
        return time;
      };
      return {
        startOf: (storeId, durationMs) => timeIn(storeId).startOf(durationMs),
        endOf: (storeId, fromMs, durationMs) => timeIn(storeId).endOf(fromMs, durationMs),
      };
    };
  };
}

function timeOf(spans: Iterable<ObservedSpan>): TimeOfZone {
  const starts = new Map<number, number | null>();
  return {
    startOf(durationMs) {
      const known = starts.get(durationMs);
      if (known !== undefined) {
        return known;
      }
      const startMs = startOfObserved(spans, durationMs);
      starts.set(durationMs, startMs);
      return startMs;
    },
    endOf: (fromMs, durationMs) => endOfObserved(spans, fromMs, durationMs),
  };
}

/** Computes what is iterated over only once, and only as far as somebody does. */
function remember<T>(source: Iterator<T>): Iterable<T> {
  const known: T[] = [];
  return {
    *[Symbol.iterator]() {
      for (let at = 0; ; at++) {
        if (at === known.length) {
          const next = source.next();
          if (next.done === true) {
            return;
          }
          known.push(next.value);
        }
        yield known[at]!;
      }
    },
  };
}
