import { z } from 'zod';
import { screenshotInterval } from '../player/screenshot.ts';
import { timestamp } from '../primitives.ts';
import {
  deletionResult,
  exampleTimestamps,
  idParams,
  instant,
  name,
  timestamps,
  timezone,
} from './fields.ts';
import { listPaging, pageOrCursor } from './lists.ts';
import { operationsOf, scope } from './operation.ts';
import { renditionPolicy } from './renditions.ts';

export const organization = z
  .object({
    id: z.string(),
    name: z.string(),
    /** Schedule times are evaluated in this time zone. */
    timezone: z.string(),
    screenshots_allowed: z.boolean().meta({
      description: 'False: nobody can take a picture of any screen from afar, whatever its own setting is',
    }),
    screenshot_interval_minutes: screenshotInterval.nullable().meta({
      description:
        'How often screens without a setting of their own send a picture of their own accord; null: never',
    }),
    renditions: renditionPolicy.meta({
      description:
        'When copies of files are made for screens that cannot play them: never, when somebody asks for one, or of each file ' +
        'that a screen has reported it cannot play. `off`: screens do not get those that there are either',
    }),
    ...timestamps,
  })
  .meta({ id: 'Organization' });
export type Organization = z.infer<typeof organization>;

export const apiKey = z
  .object({
    id: z.string(),
    name: z.string(),
    scope,
    last_four: z.string().nullable().meta({
      description: 'The last characters of the key; null for one that a person chose, and for older ones',
    }),
    created_at: timestamp,
    expires_at: timestamp.nullable(),
    last_used_at: timestamp.nullable(),
  })
  .meta({ id: 'ApiKey' });
export type ApiKey = z.infer<typeof apiKey>;

const apiKeyWithSecret = apiKey.extend({ key: z.string() }).meta({ id: 'ApiKeyWithSecret' });

const define = operationsOf('Organization');
const defineForKeys = operationsOf('API keys');
const exampleOrganization = {
  id: 'org',
  name: 'Corner Bakery',
  timezone: 'Europe/Berlin',
  screenshots_allowed: true,
  screenshot_interval_minutes: 60,
  renditions: 'on_demand',
  ...exampleTimestamps,
};
const exampleKey = {
  id: 'key_01kzgm8q2c7d0vqk3m4a5b6c7d',
  name: 'Menu sync',
  scope: 'Write',
  last_four: '9fQx',
  created_at: '2026-11-20T08:00:00.000Z',
  expires_at: null,
  last_used_at: null,
};

export const organizationOperations = {
  getOrganization: define('getOrganization', 'GET', '/v1/organization', {
    otherStatuses: [304],
    summary: 'Settings of the organization',
    access: 'Read',
    data: organization,
    example: { data: exampleOrganization },
  }),
  updateOrganization: define('updateOrganization', 'PATCH', '/v1/organization', {
    summary:
      'Change the name, the time zone of the schedules, whether and how often screenshots are taken, or when copies of files ' +
      'are made for screens that cannot play them',
    description: 'Forbidding screenshots deletes those that there are.',
    access: 'Admin',
    body: z.strictObject({
      name: name.optional(),
      timezone: timezone.optional(),
      screenshots_allowed: z.boolean().optional(),
      screenshot_interval_minutes: screenshotInterval.nullable().optional(),
      renditions: renditionPolicy.optional(),
    }),
    data: organization,
    errors: ['PRECONDITION_FAILED'],
    example: { body: { timezone: 'Europe/Berlin' }, data: exampleOrganization },
  }),
  listApiKeys: defineForKeys('listApiKeys', 'GET', '/v1/api-keys', {
    summary: 'List the keys (never their secrets)',
    access: 'Admin',
    query: z.strictObject(listPaging).refine(...pageOrCursor),
    data: z.array(apiKey),
    list: 'page or cursor',
    example: { data: [exampleKey] },
  }),
  createApiKey: defineForKeys('createApiKey', 'POST', '/v1/api-keys', {
    summary: 'Create a key; the secret is returned only here',
    access: 'Admin',
    body: z.strictObject({ name, scope, expires_at: instant.nullish() }),
    status: 201,
    data: apiKeyWithSecret,
    example: {
      body: { name: 'Menu sync', scope: 'Write' },
      data: { ...exampleKey, key: 'plk_2b7c…' },
    },
  }),
  deleteApiKey: defineForKeys('deleteApiKey', 'DELETE', '/v1/api-keys/{id}', {
    summary: 'Revoke a key; the next request with it is rejected',
    access: 'Admin',
    params: idParams,
    data: deletionResult,
    errors: ['KEY_NOT_FOUND', 'CONFLICT'],
    example: { data: { id: exampleKey.id, deleted: true } },
  }),
};
