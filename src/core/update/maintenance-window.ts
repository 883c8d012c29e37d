/** When updates may be installed: minutes of the organization's day, `[start, end)`; past midnight when end ≤ start. */
export interface MaintenanceWindow {
  startMinute: number;
  endMinute: number;
}

/** Nobody watches the screens of most stores then. */
export const DEFAULT_MAINTENANCE_WINDOW: MaintenanceWindow = { startMinute: 2 * 60, endMinute: 5 * 60 };

const MINUTES_PER_DAY = 24 * 60;
const WINDOW_PATTERN = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]):([0-5]\d)$/;

/** `02:00-05:00`, or `always`; null for anything else. */
export function parseMaintenanceWindow(text: string): MaintenanceWindow | null {
  if (text === 'always') {
    return { startMinute: 0, endMinute: 0 };
  }
  const match = WINDOW_PATTERN.exec(text);
  if (!match) {
    return null;
  }
  const [, startHour, startMinute, endHour, endMinute] = match.map(Number);
  return {
    startMinute: (startHour ?? 0) * 60 + (startMinute ?? 0),
    endMinute: (endHour ?? 0) * 60 + (endMinute ?? 0),
  };
}

/** Length of the window in minutes; equal ends mean the whole day. */
export const windowDurationMinutes = ({ startMinute, endMinute }: MaintenanceWindow): number =>
  (endMinute - startMinute + MINUTES_PER_DAY) % MINUTES_PER_DAY || MINUTES_PER_DAY;

/**
 * Milliseconds until the window opens, 0 while it is open. On the day of an offset change it may be an hour off: call
 * it again then.
 */
export function msUntilWindow(maintenanceWindow: MaintenanceWindow, timezone: string, nowMs: number): number {
  const minute = minuteOfDay(timezone, nowMs);
  const minutesSinceStart = (minute - maintenanceWindow.startMinute + MINUTES_PER_DAY) % MINUTES_PER_DAY;
  if (minutesSinceStart < windowDurationMinutes(maintenanceWindow)) {
    return 0;
  }
  return (MINUTES_PER_DAY - minutesSinceStart) * 60_000;
}

/** Minutes after midnight in the zone, with fractions. */
function minuteOfDay(timezone: string, nowMs: number): number {
  const parts = new Intl.DateTimeFormat('en-GB', {
    timeZone: supportedTimezone(timezone),
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
    hourCycle: 'h23',
  }).formatToParts(nowMs);
  const part = (type: string) => Number(parts.find((each) => each.type === type)?.value ?? 0);
  return part('hour') * 60 + part('minute') + part('second') / 60;
}

/** The zone, or a fallback when this runtime does not know it, as the cloud may. */
function supportedTimezone(timezone: string): string {
  try {
    return new Intl.DateTimeFormat('en', { timeZone: timezone }).resolvedOptions().timeZone;
  } catch {
    return 'UTC';
  }
}
