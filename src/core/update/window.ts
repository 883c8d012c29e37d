/** When a box may install by itself: minutes of the organization's day, `[start, end)`; past midnight when end ≤ start. */
export interface MaintenanceWindow {
  startMinute: number;
  endMinute: number;
}

/** While nobody looks, in most shops. */
export const DEFAULT_WINDOW: MaintenanceWindow = { startMinute: 2 * 60, endMinute: 5 * 60 };

const DAY_MINUTES = 24 * 60;
const WINDOW = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/;

/** `02:00-05:00`, or `always`; null for anything else. */
export function parseWindow(text: string): MaintenanceWindow | null {
  if (text === 'always') return { startMinute: 0, endMinute: 0 };
  const found = WINDOW.exec(text);
  if (!found) return null;
  const [, startHour, startMinute, endHour, endMinute] = found.map(Number);
  return {
    startMinute: (startHour ?? 0) * 60 + (startMinute ?? 0),
    endMinute: (endHour ?? 0) * 60 + (endMinute ?? 0),
  };
}

/** Minutes that the window lasts; equal ends mean the whole day. */
export const windowMinutes = ({ startMinute, endMinute }: MaintenanceWindow): number =>
  (endMinute - startMinute + DAY_MINUTES) % DAY_MINUTES || DAY_MINUTES;

/**
 * Milliseconds until the window opens, 0 while it is open. On a day when the clocks change it may be an hour off:
 * ask again then.
 */
export function msUntilWindow(hours: MaintenanceWindow, timezone: string, nowMs: number): number {
  const minute = minuteOfDay(timezone, nowMs);
  const since = (minute - hours.startMinute + DAY_MINUTES) % DAY_MINUTES;
  if (since < windowMinutes(hours)) return 0;
  return (DAY_MINUTES - since) * 60_000;
}

/** By the wall clock of the zone, with fractions. */
function minuteOfDay(timezone: string, nowMs: number): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: knownZone(timezone),
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  }).formatToParts(nowMs);
  const part = (type: string) => Number(parts.find((each) => each.type === type)?.value ?? 0);
  return part('hour') * 60 + part('minute') + part('second') / 60;
}

/** The cloud may know zones that this runtime does not. */
function knownZone(timezone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}
