import type { WireCommand } from '@placard/protocol';
import type { WebhookEvent } from '@placard/protocol/api';

/** What happened in a committed transaction and somebody connected wants to know at once. */
export type CloudEvent =
  | { type: 'manifest_changed'; deviceId: string; revision: string }
  | { type: 'command'; deviceId: string; command: WireCommand }
  | { type: 'unpaired'; deviceId: string }
  /** Webhook deliveries were written down and may be sent. */
  | { type: 'deliveries' };

/** A notification for the outside, written in the same transaction as the change. */
export interface Notice {
  type: WebhookEvent;
  /** Id of the thing it is about; notices about one thing are delivered in order. */
  resource: string;
  data: Readonly<Record<string, unknown>>;
}
