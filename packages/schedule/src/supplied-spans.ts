import type { ZoneTransitions } from './types.ts';
import type { Span } from './zone.ts';

/** The spans that transitions tell of, without a gap; none when they make no sense. */
export function spansOf({ from, until, offset, transitions }: ZoneTransitions): Span[] {
  const spans: Span[] = [];
  let fromMs = Date.parse(from);
  let offsetMs = offset * 1000;
  for (const next of [...transitions, { at: until, offset: 0 }]) {
    const untilMs = Date.parse(next.at);
    // Also false for what is no instant.
    if (!(untilMs > fromMs) || Math.abs(offsetMs) > 86_400_000) return [];
    spans.push({ fromMs, untilMs, offsetMs });
    fromMs = untilMs;
    offsetMs = next.offset * 1000;
  }
  return spans;
}
