import type { DayCode } from '@placard/protocol';
import { dayCode } from '@placard/protocol';
import { parseTime, weekdayOf } from '@placard/schedule';
import type { TimeZone } from '@placard/schedule';
import { DAY_MS } from './durations.ts';

/** A span of time on some days of each week; one that does not end after its start ends on the next day. */
export interface OpeningHours {
  days: readonly DayCode[];
  start_time: string;
  end_time: string;
}

const MINUTE_MS = 60_000;
const WEEK_MS = 7 * DAY_MS;
/** As far back as minutes are added up. */
const WEEKS_BACK = 10;

/** When it was open in the last ten weeks, newest first and without overlaps; the first may end in the future. */
export function* openSpans(
  hours: readonly OpeningHours[],
  zone: Pick<TimeZone, 'localTimeAt' | 'firstInstantAt'>,
  nowMs: number,
): Generator<{ started_at: number; ended_at: number }> {
  const today = Math.floor(zone.localTimeAt(nowMs) / DAY_MS);
  const mondayMs = (today - weekdayOf(today)) * DAY_MS;
  const spans = spansOfWeek(hours).toReversed();
  for (let back = 0; back <= WEEKS_BACK; back++) {
    const weekMs = mondayMs - back * WEEK_MS;
    for (const { startMs, endMs } of spans) {
      const startedMs = zone.firstInstantAt(weekMs + startMs);
      if (startedMs <= nowMs) {
        yield { started_at: startedMs, ended_at: zone.firstInstantAt(weekMs + endMs) };
      }
    }
  }
}

/** In wall time since the start of a week, in their order. Spans that meet are one, but for the end of the week. */
function spansOfWeek(hours: readonly OpeningHours[]): { startMs: number; endMs: number }[] {
  const merged: { startMs: number; endMs: number }[] = [];
  for (const span of hours.flatMap(toSpans).toSorted((a, b) => a.startMs - b.startMs)) {
    const last = merged.at(-1);
    if (last && span.startMs <= last.endMs) {
      last.endMs = Math.max(last.endMs, span.endMs);
    } else {
      merged.push(span);
    }
  }
  return merged;
}

function toSpans({ days, start_time, end_time }: OpeningHours) {
  const start = parseTime(start_time) ?? 0;
  const end = parseTime(end_time) ?? 0;
  const lengthMs = (end - start) * MINUTE_MS + (end > start ? 0 : DAY_MS);
  return days.flatMap((day) => {
    const startMs = dayCode.options.indexOf(day) * DAY_MS + start * MINUTE_MS;
    const endMs = startMs + lengthMs;
    return endMs <= WEEK_MS
      ? [{ startMs, endMs }]
      : [
          { startMs, endMs: WEEK_MS },
          { startMs: 0, endMs: endMs - WEEK_MS },
        ];
  });
}
