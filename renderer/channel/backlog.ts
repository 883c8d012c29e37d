import type { FromStage } from '../../src/stage-link/messages.ts';
import type { StageEvent } from '../stage/sequence.ts';

/** Events of a stage that plays on while the runtime is away; the newest are the ones worth keeping. */
const MOST_EVENTS = 500;

/**
 * Keeps `started`, `ended` and `failed` until the runtime is back, with the instant of each. `ready` is not
 * kept: the hello message says what is ready.
 */
export function createBacklog() {
  let events: StageEvent[] = [];
  return {
    keep(event: StageEvent) {
      if (event.type === 'ready') return;
      events.push(event);
      if (events.length > MOST_EVENTS) events = events.slice(-MOST_EVENTS);
    },
    /** Everything kept, oldest first, as messages of this instant; empties the backlog. */
    take(nowMs: number): FromStage[] {
      const taken = events.map((event) => toMessage(event, nowMs));
      events = [];
      return taken;
    },
  };
}

/** Instants become "how long ago", for the two sides have different monotonic clocks. */
export function toMessage(event: StageEvent, nowMs: number): FromStage {
  if (event.type === 'ready' || event.type === 'failed') return event;
  const { atMs, ...rest } = event;
  return { ...rest, ago_ms: Math.max(0, nowMs - atMs) };
}
