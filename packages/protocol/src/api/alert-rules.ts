import { z } from 'zod';
import { LANGUAGES } from '../display-options.ts';
import { dayCode } from '../primitives.ts';
import { deviceFilters } from './devices.ts';
import {
  deletionResult,
  endTime,
  exampleTimestamps,
  idParams,
  name,
  reference,
  startTime,
  timestamps,
} from './fields.ts';
import { listPaging, pageOrCursor } from './lists.ts';
import { operationsOf } from './operation.ts';
import { email } from './people.ts';

/** Rules for alerts, per organization. */
export const MAX_ALERT_RULES = 50;
/** Alerts of one rule that are open at the same time; what comes on top is in one alert of all screens. */
export const MAX_OPEN_ALERTS = 100;

const minutes = (min: number) => z.int().min(min).max(10_080);
const MINUTES = 'How long it must last before there is an alert';

const offline = z.strictObject({
  type: z.literal('offline'),
  minutes: minutes(1).meta({ description: `${MINUTES}; a device counts as offline after 3 minutes at most` }),
});
const fault = z.strictObject({
  type: z.literal('fault'),
  code: reference.nullable().meta({ description: 'Code of the fault; null for any' }),
  minutes: minutes(0).meta({ description: MINUTES }),
});
const behind = z.strictObject({
  type: z.literal('behind'),
  minutes: minutes(1).meta({
    description: `${MINUTES}: the device is online, does not show the manifest that it should, and still shows the same one`,
  }),
});
const oldVersion = z.strictObject({
  type: z.literal('old_version'),
  version: reference.meta({
    description: 'Players of an older version than this are meant',
    example: '1.4.0',
  }),
  minutes: minutes(0).meta({ description: MINUTES }),
});
const hot = z.strictObject({
  type: z.literal('hot'),
  celsius: z
    .int()
    .min(1)
    .max(200)
    .meta({ description: 'The newest temperature is this or higher; it is over at 2 °C less', example: 80 }),
  minutes: minutes(0).meta({ description: MINUTES }),
});
const diskBelow = z
  .strictObject({
    type: z.literal('disk_below'),
    free: z.int().min(1).max(1_000_000_000).meta({
      description:
        'Less than this is free on the disk; it is over at one percentage point more, or at a tenth more of MB',
      example: 500,
    }),
    unit: z.enum(['MB', 'percent']).meta({ description: 'A million bytes, or a hundredth of the disk' }),
    minutes: minutes(0).meta({ description: MINUTES }),
  })
  .refine(({ free, unit }) => unit === 'MB' || free <= 100, {
    path: ['free'],
    message: 'must be 100 percent or less',
  });
const nothingPlayable = z.strictObject({
  type: z.literal('nothing_playable'),
  minutes: minutes(1).meta({
    description: `${MINUTES}: the device shows nothing although a playlist is due, or reports \`playback.nothing_playable\``,
  }),
});

const pictures = z.int().min(2).max(100);
const OF_PICTURES =
  'Pictures are those that the settings want every so many minutes (`screenshot_interval_minutes`), and those that were asked for; ' +
  'one within 150 seconds after another does not count. The last one counts for 25 hours';
const screenBlack = z.strictObject({
  type: z.literal('screen_black'),
  pictures: pictures.meta({
    description: `So many pictures one after the other are black although the player shows content. ${OF_PICTURES}`,
  }),
  minutes: minutes(0).meta({ description: MINUTES }),
});
const screenFrozen = z.strictObject({
  type: z.literal('screen_frozen'),
  pictures: pictures.meta({
    description: `So many pictures one after the other look the same although the player shows other content in each, or a video. ${OF_PICTURES}`,
  }),
  minutes: minutes(0).meta({ description: MINUTES }),
});

/** When there is an alert. */
export const alertCondition = z
  .discriminatedUnion('type', [
    offline,
    fault,
    behind,
    oldVersion,
    hot,
    diskBelow,
    nothingPlayable,
    screenBlack,
    screenFrozen,
  ])
  .meta({ id: 'AlertCondition' });
export type AlertCondition = z.infer<typeof alertCondition>;

const { store_id, tag, search, country, region, city } = deviceFilters;
const alertFilter = z.strictObject({ store_id, tag, search, country, region, city }).meta({
  id: 'AlertFilter',
  description: 'The devices that the rule watches, as in the list of devices; all without a field',
});
export type AlertFilter = z.infer<typeof alertFilter>;

/** Spans of a week; more than one a day. */
const MAX_OPENING_HOURS = 21;
const openingHours = z
  .array(
    z
      .strictObject({
        days: z.array(dayCode).min(1).max(7),
        start_time: startTime,
        end_time: endTime.meta({ description: 'Not after the start: on the next day' }),
      })
      .meta({ id: 'OpeningHours' }),
  )
  .min(1)
  .max(MAX_OPENING_HOURS)
  .nullable()
  .meta({
    description:
      'When alerts are opened, in the time zone of the store that the device is in, or that of the organization. Only minutes within these ' +
      'hours count, those of several days together, up to ten weeks back. What is open at their end stays open until it is over. Null: always',
  });

/** Addresses that one rule mails to. */
const MAX_RECIPIENTS = 20;
const addresses = z
  .array(email)
  .max(MAX_RECIPIENTS)
  .overwrite((list) => [...new Set(list)]);
const recipients = addresses.meta({
  description: 'Addresses that get a mail when an alert is opened, and one when it is resolved',
});
/** Steps of one rule. */
const MAX_ESCALATIONS = 3;
const escalations = z
  .array(
    z
      .strictObject({ after_minutes: minutes(1), recipients: addresses.min(1) })
      .meta({ id: 'AlertEscalation' }),
  )
  .max(MAX_ESCALATIONS)
  .overwrite((steps) => steps.toSorted((a, b) => a.after_minutes - b.after_minutes))
  .meta({
    description:
      'Addresses that get a mail when an alert is still open after so many minutes, and one when it is resolved; each address once. ' +
      'The minutes are those within the opening hours. While it is muted there is no mail, and the minutes go on',
  });
const language = z.enum(LANGUAGES).meta({ description: 'Of the mails' });

export const alertRule = z
  .object({
    id: z.string(),
    name: z.string(),
    condition: alertCondition,
    filter: alertFilter,
    is_active: z.boolean(),
    opening_hours: openingHours,
    recipients: z.array(z.string()),
    escalations: z.array(z.object({ after_minutes: z.int(), recipients: z.array(z.string()) })),
    language: z.enum(LANGUAGES),
    ...timestamps,
  })
  .meta({ id: 'AlertRule' });
export type AlertRule = z.infer<typeof alertRule>;

const alertRuleWarning = z
  .object({
    code: z.enum(['SCREENS_SEND_NO_PICTURES']).meta({
      description:
        'The condition is about pictures, and devices that the rule watches send none of their own accord: it opens no alert for them',
    }),
    message: z.string(),
    device_count: z.int(),
  })
  .meta({ id: 'AlertRuleWarning' });
export type AlertRuleWarning = z.infer<typeof alertRuleWarning>;

const changedAlertRule = alertRule
  .extend({
    warnings: z
      .array(alertRuleWarning)
      .optional()
      .meta({ description: 'Left out by clouds of earlier versions' }),
  })
  .meta({ id: 'ChangedAlertRule' });

const define = operationsOf('Alerts');
export const exampleAlertRule = {
  id: 'arule_01kzgm8q2c7d0vqk3m4a5b6c7d',
  name: 'Offline for 10 minutes',
  condition: { type: 'offline', minutes: 10 },
  filter: {},
  is_active: true,
  opening_hours: [
    { days: ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT'], start_time: '09:00', end_time: '20:00' },
  ],
  recipients: ['signage@example.com'],
  escalations: [{ after_minutes: 60, recipients: ['operations@example.com'] }],
  language: 'en',
  ...exampleTimestamps,
};
const ruleFields = {
  name,
  condition: alertCondition,
  filter: alertFilter,
  is_active: z.boolean(),
  opening_hours: openingHours,
  recipients,
  escalations,
  language,
};

export const alertRuleOperations = {
  listAlertRules: define('listAlertRules', 'GET', '/v1/alert-rules', {
    summary: 'List rules for alerts, newest first',
    access: 'Read',
    query: z.strictObject(listPaging).refine(...pageOrCursor),
    data: z.array(alertRule),
    list: 'page or cursor',
    example: { data: [exampleAlertRule] },
  }),
  createAlertRule: define('createAlertRule', 'POST', '/v1/alert-rules', {
    summary: 'Create a rule for alerts',
    description:
      'A rule has one condition, and watches the devices of its filter. Minutes count while the cloud is running: an interruption of ' +
      'the cloud is no alert, and devices have three minutes to report after it. An alert is opened once per cause: for one ' +
      'device; for a store, when at least three of its devices have it at the same time, which are half of them or ten; for all ' +
      `devices of an old version, and for those on top of ${MAX_OPEN_ALERTS} open alerts of the rule. A device of a store has no ` +
      'alert of its own while the store may yet have one: until the others have reported, which takes a minute, and five minutes at ' +
      'most while more and more of them have it; for pictures, their interval in addition. Devices that have it later join the ' +
      'open alert of their store. It is resolved when it has been over for two minutes for all of its devices that the rule still watches. ' +
      'The events `alert.opened` and `alert.resolved` tell of it, also to webhooks, and `recipients` get a mail of each, if this cloud ' +
      'has a mail server. A mail is tried ten times over three days. It comes twice only when the cloud was killed ' +
      'between the answer of the mail server and storing it; both have the same `Message-ID`.\n\n' +
      '`warnings` says of how many of its devices a rule will never hear: those that send no pictures when it is about pictures.\n\n' +
      `At most ${MAX_ALERT_RULES} rules; more is 409 \`CONFLICT\` with \`details.reason\` \`too_many_alert_rules\`.`,
    access: 'Write',
    body: z.strictObject({
      ...ruleFields,
      filter: alertFilter.default({}),
      is_active: z.boolean().default(true),
      opening_hours: openingHours.default(null),
      recipients: recipients.default([]),
      escalations: escalations.default([]),
      language: language.default('en'),
    }),
    status: 201,
    data: changedAlertRule,
    errors: ['STORE_NOT_FOUND'],
    example: {
      body: { name: exampleAlertRule.name, condition: exampleAlertRule.condition },
      data: { ...exampleAlertRule, warnings: [] },
    },
  }),
  getAlertRule: define('getAlertRule', 'GET', '/v1/alert-rules/{id}', {
    otherStatuses: [304],
    summary: 'One rule for alerts',
    access: 'Read',
    params: idParams,
    data: alertRule,
    errors: ['ALERT_RULE_NOT_FOUND'],
    example: { data: exampleAlertRule },
  }),
  updateAlertRule: define('updateAlertRule', 'PATCH', '/v1/alert-rules/{id}', {
    summary: 'Change a rule for alerts, or switch it on or off',
    description:
      'With another condition or filter, or when it is switched off, its open alerts are resolved, with `resolved_because` `rule_changed`. ' +
      'A condition or filter is replaced as a whole.',
    access: 'Write',
    params: idParams,
    body: z.strictObject(ruleFields).partial(),
    data: changedAlertRule,
    errors: ['PRECONDITION_FAILED', 'ALERT_RULE_NOT_FOUND', 'STORE_NOT_FOUND'],
    example: {
      body: { is_active: false },
      data: { ...exampleAlertRule, is_active: false, warnings: [] },
    },
  }),
  deleteAlertRule: define('deleteAlertRule', 'DELETE', '/v1/alert-rules/{id}', {
    summary: 'Delete a rule for alerts; its open alerts are resolved',
    access: 'Admin',
    params: idParams,
    data: deletionResult,
    errors: ['PRECONDITION_FAILED', 'ALERT_RULE_NOT_FOUND'],
    example: { data: { id: exampleAlertRule.id, deleted: true } },
  }),
};
