/** `14:59`, never below `0:00`. */
export function formatCountdown(remainingMs: number): string {
  const seconds = Math.max(0, Math.ceil(remainingMs / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Time, date and zone for display; UTC when this engine does not know the zone. */
export function formatWallClock(
  nowMs: number,
  timezone: string,
  language: string,
): { time: string; date: string; zone: string } {
  const zone = supportedTimezone(timezone);
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { timeZone: zone, ...options }).format(nowMs);
  return {
    time: format({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    date: format({ weekday: 'long', day: 'numeric', month: 'long' }),
    zone,
  };
}

/** A date with its year, written out. */
export function formatDate(atMs: number, timezone: string, language: string): string {
  return new Intl.DateTimeFormat(language, {
    timeZone: supportedTimezone(timezone),
    dateStyle: 'long',
  }).format(atMs);
}

/** A short date and time. */
export function formatDateTime(atMs: number, timezone: string, language: string): string {
  return new Intl.DateTimeFormat(language, {
    timeZone: supportedTimezone(timezone),
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(atMs);
}

function supportedTimezone(timezone: string): string {
  try {
    // Keeps the name that was set instead of the engine's canonical one: it is the one that the operator knows.
    Intl.DateTimeFormat('en', { timeZone: timezone });
    return timezone;
  } catch {
    return 'UTC';
  }
}
