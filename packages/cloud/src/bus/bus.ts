import type { CloudEvent } from '../domain/events.ts';

/** Carries what was announced from the store to those who pass it on. */
export interface Bus {
  publish: (events: readonly CloudEvent[]) => void;
  subscribe(listener: (event: CloudEvent) => void): void;
}

export function createBus(): Bus {
  const listeners: ((event: CloudEvent) => void)[] = [];
  return {
    publish(events) {
      for (const event of events) for (const listener of listeners) listener(event);
    },
    subscribe(listener) {
      listeners.push(listener);
    },
  };
}
