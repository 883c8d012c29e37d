import type { WireCommand } from '@placard/protocol';

/** What happened in a committed transaction and somebody connected wants to know at once. */
export type CloudEvent =
  | { type: 'manifest_changed'; deviceId: string; revision: string }
  | { type: 'command'; deviceId: string; command: WireCommand }
  | { type: 'unpaired'; deviceId: string }
  /** Webhook deliveries were written down and may be sent. */
  | { type: 'deliveries' };

/** Kinds of notification that a webhook can ask for. */
export const WEBHOOK_EVENTS = [
  'device.paired',
  'device.online',
  'device.offline',
  'device.removed',
  'device.alert',
  'content.created',
  'content.deleted',
  'playlist.created',
  'playlist.updated',
  'playlist.deleted',
  'playlist.deployed',
  'schedule.activated',
  'schedule.deactivated',
  'schedule.changed',
  'command.finished',
] as const;

export type WebhookEventType = (typeof WEBHOOK_EVENTS)[number];

/** A notification for the outside, written in the same transaction as the change. */
export interface Notice {
  type: WebhookEventType;
  /** Id of the thing it is about; notices about one thing are delivered in order. */
  resource: string;
  data: Readonly<Record<string, unknown>>;
}
