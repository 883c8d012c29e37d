import { z } from 'zod';
import { timestamp } from '../primitives.ts';
import {
  deletionResult,
  exampleTimestamps,
  httpAddress,
  idParams,
  paging,
  queryInstant,
  reference,
  timestamps,
} from './fields.ts';
import { listPaging, pageOrCursor } from './lists.ts';
import { operationsOf } from './operation.ts';

/** Event types that a webhook can subscribe to. */
export const webhookEvent = z.enum([
  'device.paired',
  'device.online',
  'device.offline',
  'device.updated',
  'device.removed',
  'device.alert',
  'content.created',
  'content.updated',
  'content.deleted',
  'playlist.created',
  'playlist.updated',
  'playlist.deleted',
  'playlist.deployed',
  'schedule.activated',
  'schedule.deactivated',
  'schedule.changed',
  'command.created',
  'command.delivered',
  'command.acknowledged',
  'command.finished',
  'operation.finished',
  'rollout.created',
  'rollout.advanced',
  'rollout.held',
  'rollout.continued',
  'rollout.stopped',
  'rollout.finished',
  'rollout.deleted',
  'alert.opened',
  'alert.resolved',
]);
export type WebhookEvent = z.infer<typeof webhookEvent>;

export const webhook = z
  .object({
    id: z.string(),
    url: z.string(),
    events: z.array(webhookEvent),
    is_active: z.boolean(),
    /** Why the cloud disabled it; null otherwise. */
    disabled_reason: z.string().nullable(),
    ...timestamps,
  })
  .meta({ id: 'Webhook' });
export type Webhook = z.infer<typeof webhook>;

/** The secret is returned at creation and rotation only: `whsec_…`, for any Standard Webhooks library. */
const webhookWithSecret = webhook.extend({ secret: z.string() }).meta({ id: 'WebhookWithSecret' });

const deliveryStatus = z.enum(['pending', 'succeeded', 'failed']);

export const delivery = z
  .object({
    /** Also the `webhook-id` header. */
    id: z.string(),
    webhook_id: z.string(),
    event: z.string(),
    status: deliveryStatus,
    /** Number of attempts so far. */
    attempts: z.int(),
    next_attempt_at: timestamp.nullable(),
    /** HTTP status of the last response. */
    response_status: z.int().nullable(),
    error: z.string().nullable(),
    created_at: timestamp,
    finished_at: timestamp.nullable(),
    /** The body as it is sent. */
    payload: z
      .object({
        /** Of the event; left out of those that were recorded before there were events. */
        id: z.string().optional(),
        type: z.string(),
        timestamp,
        resource: z.string().optional(),
        data: z.record(z.string(), z.unknown()),
      })
      .meta({ id: 'Notification' }),
  })
  .meta({ id: 'Delivery' });
export type Delivery = z.infer<typeof delivery>;

const url = httpAddress(2000).meta({ example: 'https://example.com/hooks/placard' });
const events = z
  .array(webhookEvent)
  .min(1)
  .max(100)
  .overwrite((list) => [...new Set(list)]);

const define = operationsOf('Webhooks');
const exampleWebhook = {
  id: 'whk_01kzgm8q2c7d0vqk3m4a5b6c7d',
  url: 'https://example.com/hooks/placard',
  events: ['device.online', 'device.offline'],
  is_active: true,
  disabled_reason: null,
  ...exampleTimestamps,
};
const exampleDelivery = {
  id: 'dlv_01kzgm8q2c7d0vqk3m4a5b6c7d',
  webhook_id: exampleWebhook.id,
  event: 'device.offline',
  status: 'succeeded',
  attempts: 1,
  next_attempt_at: null,
  response_status: 204,
  error: null,
  created_at: '2026-11-20T08:00:00.000Z',
  finished_at: '2026-11-20T08:00:01.000Z',
  payload: { type: 'device.offline', timestamp: '2026-11-20T08:00:00.000Z', data: {} },
};
const deliveryParams = idParams.extend({ delivery_id: z.string().max(200) });

export const webhookOperations = {
  listWebhooks: define('listWebhooks', 'GET', '/v1/webhooks', {
    summary: 'List webhooks, newest first',
    access: 'Admin',
    query: z.strictObject(listPaging).refine(...pageOrCursor),
    data: z.array(webhook),
    list: 'page or cursor',
    example: { data: [exampleWebhook] },
  }),
  createWebhook: define('createWebhook', 'POST', '/v1/webhooks', {
    summary: 'Create a webhook; the secret is returned only here',
    description:
      'Notifications are signed as Standard Webhooks (`webhook-id`, `webhook-timestamp`, `webhook-signature`). ' +
      'They are delivered at least once, in order per resource, in ten attempts over three days. 410 disables the webhook. ' +
      '`device.alert` reports faults of devices, at most 500 per device and day, and once a day `plays.over_quota`, which ' +
      'the cloud itself detects.',
    access: 'Admin',
    body: z.strictObject({ url, events, is_active: z.boolean().default(true) }),
    status: 201,
    data: webhookWithSecret,
    example: {
      body: { url: exampleWebhook.url, events: exampleWebhook.events },
      data: { ...exampleWebhook, secret: 'whsec_bXkgc2VjcmV0' },
    },
  }),
  getWebhook: define('getWebhook', 'GET', '/v1/webhooks/{id}', {
    otherStatuses: [304],
    summary: 'One webhook',
    access: 'Admin',
    params: idParams,
    data: webhook,
    errors: ['WEBHOOK_NOT_FOUND'],
    example: { data: exampleWebhook },
  }),
  updateWebhook: define('updateWebhook', 'PATCH', '/v1/webhooks/{id}', {
    summary: 'Change URL or events, enable or disable it',
    access: 'Admin',
    params: idParams,
    body: z.strictObject({
      url: url.optional(),
      events: events.optional(),
      is_active: z.boolean().optional(),
    }),
    data: webhook,
    errors: ['PRECONDITION_FAILED', 'WEBHOOK_NOT_FOUND'],
    example: { body: { is_active: false }, data: exampleWebhook },
  }),
  deleteWebhook: define('deleteWebhook', 'DELETE', '/v1/webhooks/{id}', {
    summary: 'Delete a webhook and its deliveries',
    access: 'Admin',
    params: idParams,
    data: deletionResult,
    errors: ['PRECONDITION_FAILED', 'WEBHOOK_NOT_FOUND'],
    example: { data: { id: exampleWebhook.id, deleted: true } },
  }),
  testWebhook: define('testWebhook', 'POST', '/v1/webhooks/{id}/test', {
    summary: 'Send a test notification',
    access: 'Admin',
    params: idParams,
    status: 202,
    data: delivery,
    errors: ['WEBHOOK_NOT_FOUND'],
    example: { data: exampleDelivery },
  }),
  rotateWebhookSecret: define('rotateWebhookSecret', 'POST', '/v1/webhooks/{id}/rotate-secret', {
    summary: 'Rotate the secret; for 24 hours the old one signs as well',
    access: 'Admin',
    params: idParams,
    data: webhookWithSecret,
    errors: ['WEBHOOK_NOT_FOUND'],
    example: { data: { ...exampleWebhook, secret: 'whsec_bXkgc2VjcmV0' } },
  }),
  replayWebhook: define('replayWebhook', 'POST', '/v1/webhooks/{id}/replay', {
    summary: 'Send events again, or for the first time, that were recorded since a time',
    description:
      'Queues a delivery for each event since `since`, or after `cursor`, of the types that the webhook is subscribed to, ' +
      'oldest first: at most 200 per request, and as many as may wait for a webhook. While `has_more` is true, ask ' +
      'again with `cursor=<next_cursor>`; 429 with `details.reason` `too_many_deliveries` says that none can be queued before ' +
      'the receiver has taken some. A notification has the `id` of its event, so a receiver can tell those that it ' +
      'already has. Events are kept for 7 days.',
    access: 'Admin',
    params: idParams,
    query: z
      .strictObject({ since: queryInstant.optional(), cursor: reference.optional() })
      .refine(({ since, cursor }) => (since === undefined) !== (cursor === undefined), {
        path: ['since'],
        message: 'send either since or cursor',
      }),
    status: 202,
    data: z
      .object({
        /** Deliveries that were queued. */
        queued: z.int(),
        has_more: z.boolean(),
        next_cursor: z.string().nullable(),
      })
      .meta({ id: 'Replay' }),
    errors: ['WEBHOOK_NOT_FOUND', 'EVENT_CURSOR_EXPIRED'],
    example: { data: { queued: 42, has_more: false, next_cursor: 'evt_01kzgm8q2c7d0vqk3m4a5b6c7d' } },
  }),
  listDeliveries: define('listDeliveries', 'GET', '/v1/webhooks/{id}/deliveries', {
    summary: 'List deliveries, newest first',
    description:
      'While 10,000 notifications or 256 MB of them wait for a webhook, new ones are not sent: they fail at ' +
      'once with an `error`, and their `data` contains only ids. Of finished deliveries, the newest 10,000 and 256 MB ' +
      'of each webhook are kept, for 30 days. One page contains payloads of up to 8 MB, newest first; `data` of those ' +
      'beyond is empty.',
    access: 'Admin',
    params: idParams,
    query: z.strictObject({ ...paging, status: deliveryStatus.optional() }),
    data: z.array(delivery),
    list: 'page',
    errors: ['WEBHOOK_NOT_FOUND'],
    example: { data: [exampleDelivery] },
  }),
  retryDelivery: define('retryDelivery', 'POST', '/v1/webhooks/{id}/deliveries/{delivery_id}/retry', {
    summary: 'Retry a delivery now',
    access: 'Admin',
    params: deliveryParams,
    status: 202,
    data: delivery,
    errors: ['WEBHOOK_NOT_FOUND', 'DELIVERY_NOT_FOUND'],
    example: { data: { ...exampleDelivery, status: 'pending' } },
  }),
};
