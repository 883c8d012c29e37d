/** `14:59`, never below `0:00`. */
export function countdown(leftMs: number): string {
  const seconds = Math.max(0, Math.ceil(leftMs / 1000));
  return `${Math.floor(seconds / 60)}:${String(seconds % 60).padStart(2, '0')}`;
}

/** Time, date and zone as read on the wall; UTC when this engine does not know the zone. */
export function wallClock(
  nowMs: number,
  timezone: string,
  language: string,
): { time: string; date: string; zone: string } {
  const zone = knownZone(timezone);
  const format = (options: Intl.DateTimeFormatOptions) =>
    new Intl.DateTimeFormat(language, { timeZone: zone, ...options }).format(nowMs);
  return {
    time: format({ hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }),
    date: format({ weekday: 'long', day: 'numeric', month: 'long' }),
    zone,
  };
}

/** A day with its year, written out. */
export function dayText(atMs: number, timezone: string, language: string): string {
  return new Intl.DateTimeFormat(language, { timeZone: knownZone(timezone), dateStyle: 'long' }).format(atMs);
}

/** A day and a time of that day, short enough for a line. */
export function momentText(atMs: number, timezone: string, language: string): string {
  return new Intl.DateTimeFormat(language, {
    timeZone: knownZone(timezone),
    day: 'numeric',
    month: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  }).format(atMs);
}

function knownZone(timezone: string): string {
  try {
    // As it was set, not as this engine would name it: an old name is the one that the operator looks for.
    Intl.DateTimeFormat('en', { timeZone: timezone });
    return timezone;
  } catch {
    return 'UTC';
  }
}
