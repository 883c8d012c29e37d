import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import {
  deletionResult,
  exampleTimestamps,
  idParams,
  name,
  search,
  singleLineText,
  tags,
  timestamps,
  timezone,
} from './fields.ts';
import { listPaging, pageOrCursor, sortBy } from './lists.ts';
import { operationsOf } from './operation.ts';

export const store = z
  .object({
    id: z.string(),
    name: z.string(),
    address: z.string().nullable(),
    city: z.string().nullable(),
    region: z.string().nullable(),
    country: z.string().nullable(),
    contact: z.string().nullable(),
    /** Informative only: schedules are evaluated in the organization's time zone. */
    timezone: z.string().nullable(),
    tags: z.array(z.string()),
    device_count: z.int(),
    ...timestamps,
  })
  .meta({ id: 'Store' });
export type Store = z.infer<typeof store>;

const storeFields = {
  address: singleLineText.nullish(),
  city: singleLineText.nullish(),
  region: singleLineText.nullish(),
  country: singleLineText.nullish(),
  contact: singleLineText.nullish(),
  timezone: timezone.nullish(),
  tags: tags.optional(),
};

const define = operationsOf('Stores');
const exampleStore = {
  id: 'store_01kzgm8q2c7d0vqk3m4a5b6c7d',
  name: 'Old town',
  address: '1 Market Square',
  city: 'Bremen',
  region: null,
  country: 'DE',
  contact: null,
  timezone: 'Europe/Berlin',
  tags: [],
  device_count: 2,
  ...exampleTimestamps,
};

export const storeOperations = {
  listStores: define('listStores', 'GET', '/v1/stores', {
    summary: 'List stores, newest first',
    access: 'Read',
    query: z
      .strictObject({
        ...listPaging,
        sort: sortBy('name', 'created_at', 'updated_at').optional(),
        search: search.optional(),
      })
      .refine(...pageOrCursor),
    data: z.array(store),
    list: 'page or cursor',
    example: { data: [exampleStore] },
  }),
  createStore: define('createStore', 'POST', '/v1/stores', {
    summary: 'Create a store',
    description: `At most ${LIMITS.stores} stores per organization; more is 400.`,
    access: 'Write',
    body: z.strictObject({ name, ...storeFields }),
    status: 201,
    data: store,
    example: { body: { name: 'Old town', city: 'Bremen' }, data: exampleStore },
  }),
  getStore: define('getStore', 'GET', '/v1/stores/{id}', {
    otherStatuses: [304],
    summary: 'One store',
    access: 'Read',
    params: idParams,
    data: store,
    errors: ['STORE_NOT_FOUND'],
    example: { data: exampleStore },
  }),
  updateStore: define('updateStore', 'PATCH', '/v1/stores/{id}', {
    summary: 'Change a store',
    access: 'Write',
    params: idParams,
    body: z.strictObject({ name: name.optional(), ...storeFields }),
    data: store,
    errors: ['PRECONDITION_FAILED', 'STORE_NOT_FOUND'],
    example: { body: { city: 'Bremen' }, data: exampleStore },
  }),
  deleteStore: define('deleteStore', 'DELETE', '/v1/stores/{id}', {
    summary: 'Delete a store; its devices stay, without a store',
    description:
      'A store that the filter of a rule for alerts names, be the rule on or off, is not deleted: the rule would watch nothing from then ' +
      'on. It is removed from the targets of schedules and deployments.',
    access: 'Admin',
    params: idParams,
    data: deletionResult,
    errors: ['PRECONDITION_FAILED', 'STORE_NOT_FOUND', 'STORE_IN_USE'],
    example: { data: { id: exampleStore.id, deleted: true } },
  }),
};
