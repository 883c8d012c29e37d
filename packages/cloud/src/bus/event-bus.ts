import type { CloudEvent } from '../domain/events.ts';

/** Yields to the event loop after this many events, so that ten thousand devices do not delay a request. */
const EVENTS_PER_TURN = 500;

/** Delivers events from the database to their subscribers, in order. */
export function createEventBus() {
  const listeners: ((event: CloudEvent) => void)[] = [];
  const pending: CloudEvent[] = [];
  let isDraining = false;

  const drain = (): void => {
    for (const event of pending.splice(0, EVENTS_PER_TURN)) {
      for (const listener of listeners) {
        listener(event);
      }
    }
    isDraining = pending.length > 0;
    if (isDraining) {
      setImmediate(drain);
    }
  };

  return {
    publish: (events: readonly CloudEvent[]): void => {
      for (const event of events) {
        pending.push(event);
      }
      if (!isDraining) {
        drain();
      }
    },
    subscribe(listener: (event: CloudEvent) => void): void {
      listeners.push(listener);
    },
  };
}
