import type { ZoneTransitions } from './types.ts';
import { createTimeZone } from './time-zone.ts';

/**
 * The offset changes of a zone between two instants (ms since 1970), from the data of this runtime.
 *
 * @throws RangeError when it does not know the zone
 */
export function listZoneTransitions(name: string, fromMs: number, untilMs: number): ZoneTransitions {
  const zone = createTimeZone(name);
  const first = zone.spanAt(fromMs);
  const transitions: { at: string; offset: number }[] = [];
  let { offsetMs } = first;
  for (let atMs = first.untilMs; atMs < untilMs;) {
    const span = zone.spanAt(atMs);
    if (span.offsetMs !== offsetMs) {
      transitions.push({ at: toIso(atMs), offset: span.offsetMs / 1000 });
    }
    ({ offsetMs } = span);
    atMs = span.untilMs;
  }
  return { from: toIso(fromMs), until: toIso(untilMs), offset: first.offsetMs / 1000, transitions };
}

function toIso(ms: number): string {
  return new Date(ms).toISOString();
}
