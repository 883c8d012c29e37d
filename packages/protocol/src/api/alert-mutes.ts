import { z } from 'zod';
import { timestamp } from '../primitives.ts';
import { deletionResult, idParams, instant, reference, singleLineText } from './fields.ts';
import { operationsOf } from './operation.ts';

/** Mutes that are not over, per organization. */
export const MAX_ALERT_MUTES = 100;
/** Days that a mute lasts at most. */
export const MAX_MUTE_DAYS = 366;
const mutedTarget = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('device'), id: reference }),
    z.strictObject({ type: z.literal('store'), id: reference }),
    z.strictObject({ type: z.literal('all') }),
  ])
  .meta({ id: 'AlertMuteTarget' });

export const alertMute = z
  .object({
    id: z.string(),
    target: mutedTarget,
    until: timestamp,
    reason: z.string().nullable(),
    created_at: timestamp,
  })
  .meta({ id: 'AlertMute' });
export type AlertMute = z.infer<typeof alertMute>;

const define = operationsOf('Alerts');
const exampleMute = {
  id: 'amute_01kzgm8q2c7d0vqk3m4a5b6c7d',
  target: { type: 'store', id: 'store_01kzgm8q2c7d0vqk3m4a5b6c7d' },
  until: '2026-11-20T18:00:00.000Z',
  reason: 'New wiring',
  created_at: '2026-11-20T08:00:00.000Z',
};

export const alertMuteOperations = {
  listAlertMutes: define('listAlertMutes', 'GET', '/v1/alert-mutes', {
    summary: 'List the mutes that are not over, newest first',
    access: 'Read',
    data: z.array(alertMute),
    example: { data: [exampleMute] },
  }),
  createAlertMute: define('createAlertMute', 'POST', '/v1/alert-mutes', {
    summary: 'Mute the alerts of a device, a store or all devices until a time',
    description:
      'While a device is muted no alert is opened for it, and it joins none; what is still wrong then is an alert as soon as the mute is over. ' +
      'An alert that is open already stays open, is mailed to nobody else, and is resolved when it is over. A mute ends by itself, or when it is ' +
      `deleted. It lasts ${MAX_MUTE_DAYS} days at most.\n\n` +
      `At most ${MAX_ALERT_MUTES} mutes that are not over; more is 409 \`CONFLICT\` with \`details.reason\` \`too_many_alert_mutes\`.`,
    access: 'Write',
    body: z.strictObject({
      target: mutedTarget,
      until: instant,
      reason: singleLineText.nullable().default(null),
    }),
    status: 201,
    data: alertMute,
    errors: ['DEVICE_NOT_FOUND', 'STORE_NOT_FOUND'],
    example: {
      body: { target: exampleMute.target, until: exampleMute.until, reason: exampleMute.reason },
      data: exampleMute,
    },
  }),
  deleteAlertMute: define('deleteAlertMute', 'DELETE', '/v1/alert-mutes/{id}', {
    summary: 'End a mute',
    access: 'Write',
    params: idParams,
    data: deletionResult,
    errors: ['ALERT_MUTE_NOT_FOUND'],
    example: { data: { id: exampleMute.id, deleted: true } },
  }),
};
