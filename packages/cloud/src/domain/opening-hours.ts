import type { DayCode } from '@placard/protocol';
import { dayCode } from '@placard/protocol';
import { parseTime, weekdayOf } from '@placard/schedule';
import type { TimeZone } from '@placard/schedule';
import { DAY_MS } from './durations.ts';

/** A span of time on some days of each week; one that does not end after its start ends on the next day. */
export interface OpeningSpan {
  days: readonly DayCode[];
  start_time: string;
  end_time: string;
}

const MINUTE_MS = 60_000;
/** As far back as anybody asks. */
const DAYS_BACK = 8;

/** Since when it has been open; null when it is closed. Spans that meet are one; it is at most eight days. */
export function openSinceMs(
  hours: readonly OpeningSpan[],
  zone: Pick<TimeZone, 'localTimeAt' | 'firstInstantAt'>,
  nowMs: number,
): number | null {
  const wallMs = zone.localTimeAt(nowMs);
  const today = Math.floor(wallMs / DAY_MS);
  const spans = hours.flatMap((each) => spansOf(each, today)).toSorted((a, b) => b.startMs - a.startMs);
  let openedMs: number | null = null;
  for (const { startMs, endMs } of spans) {
    if (startMs <= (openedMs ?? wallMs) && endMs >= (openedMs ?? wallMs + 1)) {
      openedMs = startMs;
    }
  }
  return openedMs === null ? null : Math.min(zone.firstInstantAt(openedMs), nowMs);
}

/** The spans that began lately, in wall time. */
function spansOf({ days, start_time, end_time }: OpeningSpan, today: number) {
  const start = parseTime(start_time) ?? 0;
  const end = parseTime(end_time) ?? 0;
  const lengthMs = (end - start + (end > start ? 0 : DAY_MS / MINUTE_MS)) * MINUTE_MS;
  const opened = Array.from({ length: DAYS_BACK + 1 }, (_, back) => today - back).filter((day) =>
    days.includes(dayCode.options[weekdayOf(day)]!),
  );
  return opened.map((day) => {
    const startMs = day * DAY_MS + start * MINUTE_MS;
    return { startMs, endMs: startMs + lengthMs };
  });
}
