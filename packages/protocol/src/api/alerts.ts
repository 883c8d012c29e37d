import { z } from 'zod';
import { timestamp } from '../primitives.ts';
import { alertMuteOperations } from './alert-mutes.ts';
import { alertCondition, alertRuleOperations, exampleAlertRule } from './alert-rules.ts';
import { exampleDevice } from './devices.ts';
import { idParams, reference } from './fields.ts';
import { listPaging, pageOrCursor } from './lists.ts';
import { operationsOf } from './operation.ts';

const alertStatus = z.enum(['open', 'resolved']);

/** What an alert is about. */
const alertSubject = z
  .object({
    type: z.enum(['device', 'store', 'all']),
    id: z.string().nullable().meta({ description: 'Of the device or the store; null for `all`' }),
    name: z.string().nullable().meta({ description: 'When the alert was opened; null for `all`' }),
  })
  .meta({ id: 'AlertSubject' });

export const alert = z
  .object({
    id: z.string(),
    status: alertStatus,
    rule_id: z.string(),
    /** Name and condition of the rule when the alert was opened. */
    rule_name: z.string(),
    condition: alertCondition,
    subject: alertSubject.meta({
      description:
        'A device; a store, when at least three of its devices have it at the same time, which are half of them or ten; `all` for devices ' +
        'of any store',
    }),
    devices: z.int().meta({ description: 'Devices that it has concerned so far' }),
    devices_affected: z.int().meta({ description: 'Devices that it concerns now' }),
    opened_at: timestamp,
    resolved_at: timestamp.nullable(),
    resolved_because: z
      .enum(['over', 'rule_changed', 'not_watched'])
      .nullable()
      .meta({
        description:
          '`over`: for all of its devices. `rule_changed`: the rule was changed, switched off or deleted. `not_watched`: devices for ' +
          'which it was not over were removed, or the filter of the rule finds them no more, because their tags, names or stores have ' +
          'changed; those with `over_at` null. For the others it is over. Null while it is open',
      }),
  })
  .meta({ id: 'Alert' });
export type Alert = z.infer<typeof alert>;

const alertDevice = z
  .object({
    device_id: z.string(),
    device_name: z.string().nullable().meta({ description: 'Null when the device was removed' }),
    joined_at: timestamp,
    over_at: timestamp.nullable().meta({
      description:
        'Since when it is over for this device; null while it is not, and when it was not before the device was no longer watched, ' +
        'or the rule was changed',
    }),
  })
  .meta({ id: 'AlertDevice' });
export type AlertDevice = z.infer<typeof alertDevice>;

const define = operationsOf('Alerts');
export const exampleAlert = {
  id: 'alert_01kzgm8q2c7d0vqk3m4a5b6c7d',
  status: 'open',
  rule_id: exampleAlertRule.id,
  rule_name: exampleAlertRule.name,
  condition: exampleAlertRule.condition,
  subject: { type: 'store', id: 'store_01kzgm8q2c7d0vqk3m4a5b6c7d', name: 'Berlin Mitte' },
  devices: 12,
  devices_affected: 12,
  opened_at: '2026-11-20T08:00:00.000Z',
  resolved_at: null,
  resolved_because: null,
};
const alertMail = z
  .object({
    step: z.enum(['opened', 'escalated', 'resolved']),
    recipient: z.string(),
    status: z
      .enum(['pending', 'sent', 'failed'])
      .meta({ description: '`sent`: the mail server has taken it' }),
    attempts: z.int(),
    next_attempt_at: timestamp.nullable(),
    error: z.string().nullable().meta({ description: 'Why the last attempt failed' }),
    finished_at: timestamp.nullable(),
  })
  .meta({ id: 'AlertMail' });
export type AlertMail = z.infer<typeof alertMail>;

export const alertOperations = {
  ...alertRuleOperations,
  ...alertMuteOperations,
  listAlerts: define('listAlerts', 'GET', '/v1/alerts', {
    summary: 'List alerts, newest first',
    description: 'Resolved alerts are kept for 90 days, at most 100,000.',
    access: 'Read',
    query: z
      .strictObject({
        ...listPaging,
        status: alertStatus.optional(),
        rule_id: reference.optional(),
        device_id: reference
          .optional()
          .meta({ description: 'Only alerts that concern this device, or have' }),
      })
      .refine(...pageOrCursor),
    data: z.array(alert),
    list: 'page or cursor',
    example: { data: [exampleAlert] },
  }),
  getAlert: define('getAlert', 'GET', '/v1/alerts/{id}', {
    otherStatuses: [304],
    summary: 'One alert',
    access: 'Read',
    params: idParams,
    data: alert,
    errors: ['ALERT_NOT_FOUND'],
    example: { data: exampleAlert },
  }),
  listAlertMails: define('listAlertMails', 'GET', '/v1/alerts/{id}/mails', {
    summary: 'The mails about an alert, and how far they are',
    access: 'Read',
    params: idParams,
    data: z.array(alertMail),
    errors: ['ALERT_NOT_FOUND'],
    example: {
      data: [
        {
          step: 'opened',
          recipient: 'signage@example.com',
          status: 'sent',
          attempts: 1,
          next_attempt_at: null,
          error: null,
          finished_at: '2026-11-20T08:00:01.000Z',
        },
      ],
    },
  }),
  listAlertDevices: define('listAlertDevices', 'GET', '/v1/alerts/{id}/devices', {
    summary: 'The devices of an alert, in the order in which they joined',
    access: 'Read',
    params: idParams,
    query: z.strictObject(listPaging).refine(...pageOrCursor),
    data: z.array(alertDevice),
    list: 'page or cursor',
    errors: ['ALERT_NOT_FOUND'],
    example: {
      data: [
        {
          device_id: exampleDevice.id,
          device_name: exampleDevice.name,
          joined_at: '2026-11-20T08:00:00.000Z',
          over_at: null,
        },
      ],
    },
  }),
};
