import type { CloudEvent } from '../domain/events.ts';

/** Carries what was announced from the store to those who pass it on, in order. */
export interface Bus {
  publish: (events: readonly CloudEvent[]) => void;
  subscribe(listener: (event: CloudEvent) => void): void;
}

/** After so many events others get a turn: ten thousand screens do not hold up a request. */
const AT_ONCE = 500;

export function createBus(): Bus {
  const listeners: ((event: CloudEvent) => void)[] = [];
  const waiting: CloudEvent[] = [];
  let draining = false;

  const drain = (): void => {
    for (const event of waiting.splice(0, AT_ONCE)) for (const listener of listeners) listener(event);
    draining = waiting.length > 0;
    if (draining) setImmediate(drain);
  };

  return {
    publish(events) {
      for (const event of events) waiting.push(event);
      if (!draining) drain();
    },
    subscribe(listener) {
      listeners.push(listener);
    },
  };
}
