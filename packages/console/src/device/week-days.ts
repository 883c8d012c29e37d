/** A part of a day, as shares of its 24 hours. */
export interface DayPart<T> {
  segment: T;
  from: number;
  to: number;
}

interface Span {
  start: string;
  end: string;
}

const DAY_MS = 86_400_000;

/** Splits spans at the midnights of a zone, as its clocks show them; days are `2026-11-25`. */
export function daysOf<T extends Span>(segments: readonly T[], timeZone: string) {
  const clock = new Intl.DateTimeFormat('en-CA', {
    timeZone,
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    hourCycle: 'h23',
  });
  /** What the clocks there show, in milliseconds as if it was UTC. */
  const wallMs = (iso: string): number => {
    const part = Object.fromEntries(
      clock.formatToParts(new Date(iso)).map(({ type, value }) => [type, value]),
    );
    return Date.parse(
      `${part['year']}-${part['month']}-${part['day']}T${part['hour']}:${part['minute']}:${part['second']}Z`,
    );
  };
  const days = new Map<string, DayPart<T>[]>();
  for (const segment of segments) {
    const endMs = wallMs(segment.end);
    for (let fromMs = wallMs(segment.start); fromMs < endMs;) {
      const midnightMs = Math.floor(fromMs / DAY_MS) * DAY_MS;
      const toMs = Math.min(endMs, midnightMs + DAY_MS);
      const day = new Date(midnightMs).toISOString().slice(0, 10);
      const part = { segment, from: (fromMs - midnightMs) / DAY_MS, to: (toMs - midnightMs) / DAY_MS };
      days.set(day, [...(days.get(day) ?? []), part]);
      fromMs = toMs;
    }
  }
  return [...days].map(([day, parts]) => ({ day, parts }));
}
