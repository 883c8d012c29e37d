import type { ZoneTransitions } from './types.ts';
import { createZone } from './zone.ts';

/**
 * When the clocks of a zone are changed between two instants (ms since 1970), by the data of this runtime.
 *
 * @throws RangeError when it does not know the zone
 */
export function zoneTransitions(name: string, fromMs: number, untilMs: number): ZoneTransitions {
  const zone = createZone(name);
  const first = zone.spanAt(fromMs);
  const transitions: { at: string; offset: number }[] = [];
  let { offsetMs } = first;
  for (let atMs = first.untilMs; atMs < untilMs;) {
    const span = zone.spanAt(atMs);
    if (span.offsetMs !== offsetMs) transitions.push({ at: iso(atMs), offset: span.offsetMs / 1000 });
    ({ offsetMs } = span);
    atMs = span.untilMs;
  }
  return { from: iso(fromMs), until: iso(untilMs), offset: first.offsetMs / 1000, transitions };
}

function iso(ms: number): string {
  return new Date(ms).toISOString();
}
