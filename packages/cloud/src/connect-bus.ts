import type { createEventBus } from './bus/event-bus.ts';
import type { Clock } from './domain/clock.ts';
import type { ExpiredPairingCodes } from './domain/expired-pairing-codes.ts';
import type { LiveRequests } from './domain/live-requests.ts';
import type { EventStreams } from './events/event-streams.ts';
import type { createOperationRunner } from './http/operations/run-operations.ts';
import type { createWebhookDispatcher } from './webhooks/dispatcher.ts';

interface Subscribers {
  dispatcher: Pick<ReturnType<typeof createWebhookDispatcher>, 'wake'>;
  operationRunner: Pick<ReturnType<typeof createOperationRunner>, 'handleEvent'>;
  eventStreams: Pick<EventStreams, 'wake'>;
  live: Pick<LiveRequests, 'handleEvent'>;
  expiredCodes: Pick<ExpiredPairingCodes, 'add'>;
  clock: Clock;
}

/** Tells the parts of this node, apart from the sockets, what transactions have published. */
export function connectBus(
  bus: Pick<ReturnType<typeof createEventBus>, 'subscribe'>,
  { dispatcher, operationRunner, eventStreams, live, expiredCodes, clock }: Subscribers,
): void {
  bus.subscribe(operationRunner.handleEvent);
  bus.subscribe((event) => {
    if (event.type === 'webhook_deliveries_pending') {
      dispatcher.wake();
    }
    if (event.type === 'events_recorded') {
      eventStreams.wake();
    }
    if (event.type === 'live_requested' || event.type === 'live_sent' || event.type === 'live_answered') {
      live.handleEvent(event);
    }
    if (event.type === 'pairing_codes_expired') {
      expiredCodes.add(event.codes, clock.nowMs());
    }
  });
}
