import type { Webhook } from '@placard/client';

export type WebhookEvent = Webhook['events'][number];

/** All kinds of events; the compiler finds missing ones. */
const ALL: Readonly<Record<WebhookEvent, true>> = {
  'device.paired': true,
  'device.online': true,
  'device.offline': true,
  'device.updated': true,
  'device.removed': true,
  'device.alert': true,
  'content.created': true,
  'content.updated': true,
  'content.deleted': true,
  'playlist.created': true,
  'playlist.updated': true,
  'playlist.deleted': true,
  'playlist.deployed': true,
  'schedule.activated': true,
  'schedule.deactivated': true,
  'schedule.changed': true,
  'command.created': true,
  'command.delivered': true,
  'command.acknowledged': true,
  'command.finished': true,
  'operation.finished': true,
  'rollout.created': true,
  'rollout.advanced': true,
  'rollout.held': true,
  'rollout.continued': true,
  'rollout.stopped': true,
  'rollout.finished': true,
  'rollout.deleted': true,
  'alert.opened': true,
  'alert.resolved': true,
};
const isEvent = (name: string): name is WebhookEvent => Object.hasOwn(ALL, name);

export const WEBHOOK_EVENTS: readonly WebhookEvent[] = Object.keys(ALL).filter(isEvent);
