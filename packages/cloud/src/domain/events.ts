import type { WireCommand } from '@placard/protocol';
import type { WebhookEvent } from '@placard/protocol/api';

/** Published after a transaction has committed. */
export type CloudEvent =
  /** The revisions of these devices, or of any (null), may be others than before. */
  | { type: 'manifests_changed'; deviceIds: readonly string[] | null }
  | { type: 'command'; deviceId: string; command: WireCommand }
  | { type: 'unpaired'; deviceId: string }
  /** These devices have connected to another node. */
  | { type: 'sockets_opened'; deviceIds: readonly string[] }
  /** Codes of pairing sessions that have expired. */
  | { type: 'pairing_codes_expired'; codes: readonly string[] }
  /** Webhook deliveries were queued. */
  | { type: 'webhook_deliveries_pending' };

/** An event for webhooks, stored in the same transaction as the change. */
export interface WebhookNotification {
  type: WebhookEvent;
  /** Id of the resource concerned; deliveries about one resource are sent in order. */
  resource: string;
  data: Readonly<Record<string, unknown>>;
}
