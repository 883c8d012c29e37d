import type { WireCommand } from '@placard/protocol';
import type { EventType } from '@placard/protocol/api';
import type { LiveEvent } from './live-requests.ts';

/** Published after a transaction has committed. */
export type CloudEvent =
  /** The revisions of these devices, or of any (null), may be others than before. */
  | {
      type: 'manifests_changed';
      deviceIds: readonly string[] | null;
      /** Of the edits; see `edit-tracing.ts`. */
      traces?: readonly string[];
    }
  | { type: 'command'; deviceId: string; command: WireCommand }
  | { type: 'unpaired'; deviceId: string }
  | LiveEvent
  /** These devices have connected to another node. */
  | { type: 'sockets_opened'; deviceIds: readonly string[] }
  /** Codes of pairing sessions that have expired. */
  | { type: 'pairing_codes_expired'; codes: readonly string[] }
  /** Webhook deliveries were queued. */
  | { type: 'webhook_deliveries_pending' }
  /** There is an operation on many devices to work on. */
  | { type: 'operations_pending' }
  /** Events were recorded; on this node alone. */
  | { type: 'events_recorded' };

/** Something that happened, recorded in the same transaction as the change: for the log of events, and for webhooks. */
export interface RecordedEvent {
  type: EventType;
  /** Id of the resource concerned; webhook deliveries about one resource are sent in order. */
  resource: string;
  data: Readonly<Record<string, unknown>>;
}

/** An event with its id, and when it was recorded. */
export interface IdentifiedEvent extends RecordedEvent {
  id: string;
  created_at: number;
}

/** An event as clients get it: in the list of events, in the stream, and from webhooks. `data` is JSON. */
export const eventJson = (event: {
  id: string;
  type: string;
  created_at: number;
  resource: string;
  data: string;
}): string =>
  `${JSON.stringify({
    id: event.id,
    type: event.type,
    timestamp: new Date(event.created_at).toISOString(),
    resource: event.resource,
  }).slice(0, -1)},"data":${event.data}}`;
