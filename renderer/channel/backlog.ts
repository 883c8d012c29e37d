import type { FromStageMessage } from '@placard/protocol/stage';
import type { ShowingEvent } from '../stage/stage-state.ts';

/** `ready` is not tracked: the hello message says what is ready. */
type TrackedEvent = Exclude<ShowingEvent, { type: 'ready' }>;

/** An event with its sequence number, counted from 1. */
export type NumberedEvent = TrackedEvent & { seq: number };

/** Bound for a runtime that is gone for long or never acknowledges; the newest events are kept. */
const MAX_EVENTS = 500;

/** Keeps `started`, `ended` and `failed` with their times until the runtime has saved and acknowledged them. */
export function createBacklog() {
  let events: NumberedEvent[] = [];
  let count = 0;
  return {
    add(event: TrackedEvent): NumberedEvent {
      count += 1;
      const numbered = { ...event, seq: count };
      events.push(numbered);
      if (events.length > MAX_EVENTS) {
        events.shift();
      }
      return numbered;
    },
    /** Removes all events up to and including this number. */
    acknowledge(seq: number): void {
      events = events.filter((event) => event.seq > seq);
    },
    /** Everything not yet acknowledged, oldest first, with ages as of `nowMs`. */
    unacknowledged: (nowMs: number): FromStageMessage[] => events.map((event) => toMessage(event, nowMs)),
  };
}

/** Converts times to ages, because page and runtime have different monotonic clocks. */
export function toMessage(event: NumberedEvent, nowMs: number): FromStageMessage {
  if (event.type === 'failed') {
    return event;
  }
  const { atMs, ...rest } = event;
  return { ...rest, ago_ms: Math.max(0, nowMs - atMs) };
}
