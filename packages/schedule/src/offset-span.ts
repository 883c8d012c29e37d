import type { ZoneTransitions } from './types.ts';

/** A period in which a zone has one UTC offset. */
export interface OffsetSpan {
  /** First instant, ms since 1970. */
  readonly fromMs: number;
  /** First instant after it. The next span may have the same offset. */
  readonly untilMs: number;
  /** Wall time minus UTC, ms. */
  readonly offsetMs: number;
}

/** Converts transitions to consecutive spans; empty when they are invalid. */
export function parseSuppliedSpans({ from, until, offset, transitions }: ZoneTransitions): OffsetSpan[] {
  const spans: OffsetSpan[] = [];
  let fromMs = Date.parse(from);
  let offsetMs = offset * 1000;
  for (const next of [...transitions, { at: until, offset: 0 }]) {
    const untilMs = Date.parse(next.at);
    // Also true for an invalid instant (NaN).
    if (!(untilMs > fromMs) || Math.abs(offsetMs) > 86_400_000) {
      return [];
    }
    spans.push({ fromMs, untilMs, offsetMs });
    fromMs = untilMs;
    offsetMs = next.offset * 1000;
  }
  return spans;
}
