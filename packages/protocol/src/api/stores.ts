import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { timestamp } from '../primitives.ts';
import { deletionResult, idParams, singleLineText, name, paging, search, tags, timezone } from './fields.ts';
import { defineOperation } from './operation.ts';

export const store = z.object({
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
  created_at: timestamp,
  updated_at: timestamp,
});
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

const openApiTag = 'Stores';
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
  created_at: '2026-11-20T08:00:00.000Z',
  updated_at: '2026-11-20T08:00:00.000Z',
};

export const storeOperations = {
  listStores: defineOperation({
    id: 'listStores',
    method: 'GET',
    path: '/v1/stores',
    tag: openApiTag,
    summary: 'List stores, newest first',
    access: 'Read',
    query: z.strictObject({ ...paging, search: search.optional() }),
    data: z.array(store),
    list: true,
    example: { data: [exampleStore] },
  }),
  createStore: defineOperation({
    id: 'createStore',
    method: 'POST',
    path: '/v1/stores',
    tag: openApiTag,
    summary: 'Create a store',
    description: `At most ${LIMITS.stores} stores per organization; more is 400.`,
    access: 'Write',
    body: z.strictObject({ name, ...storeFields }),
    status: 201,
    data: store,
    example: { body: { name: 'Old town', city: 'Bremen' }, data: exampleStore },
  }),
  getStore: defineOperation({
    id: 'getStore',
    method: 'GET',
    path: '/v1/stores/{id}',
    tag: openApiTag,
    summary: 'One store',
    access: 'Read',
    params: idParams,
    data: store,
    errors: ['STORE_NOT_FOUND'],
    example: { data: exampleStore },
  }),
  updateStore: defineOperation({
    id: 'updateStore',
    method: 'PATCH',
    path: '/v1/stores/{id}',
    tag: openApiTag,
    summary: 'Change a store',
    access: 'Write',
    params: idParams,
    body: z.strictObject({ name: name.optional(), ...storeFields }),
    data: store,
    errors: ['STORE_NOT_FOUND'],
    example: { body: { city: 'Bremen' }, data: exampleStore },
  }),
  deleteStore: defineOperation({
    id: 'deleteStore',
    method: 'DELETE',
    path: '/v1/stores/{id}',
    tag: openApiTag,
    summary: 'Delete a store; its devices stay, without a store',
    access: 'Admin',
    params: idParams,
    data: deletionResult,
    errors: ['STORE_NOT_FOUND'],
    example: { data: { id: exampleStore.id, deleted: true } },
  }),
};
