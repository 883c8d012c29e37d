import type { FromStage } from '../../src/stage-link/messages.ts';
import type { StageEvent } from '../stage/sequence.ts';

/** `ready` is not among them: the hello message says what is ready. */
type LastingEvent = Exclude<StageEvent, { type: 'ready' }>;

/** An event with its number, counted from 1. */
export type NumberedEvent = LastingEvent & { seq: number };

/** A runtime may be away for long, or never acknowledge; the newest events are the ones worth keeping. */
const MOST_EVENTS = 500;

/** Keeps `started`, `ended` and `failed`, with the instant of each, until the runtime has written them down. */
export function createBacklog() {
  let events: NumberedEvent[] = [];
  let count = 0;
  return {
    keep(event: LastingEvent): NumberedEvent {
      count += 1;
      const numbered = { ...event, seq: count };
      events.push(numbered);
      if (events.length > MOST_EVENTS) events.shift();
      return numbered;
    },
    /** All up to and including this number are told. */
    acknowledge(seq: number): void {
      events = events.filter((event) => event.seq > seq);
    },
    /** Everything not yet acknowledged, oldest first, as messages of this instant. */
    untold: (nowMs: number): FromStage[] => events.map((event) => toMessage(event, nowMs)),
  };
}

/** Instants become "how long ago", for the two sides have different monotonic clocks. */
export function toMessage(event: NumberedEvent, nowMs: number): FromStage {
  if (event.type === 'failed') return event;
  const { atMs, ...rest } = event;
  return { ...rest, ago_ms: Math.max(0, nowMs - atMs) };
}
