import { z } from 'zod';
import { LIMITS } from '../limits.ts';
import { timestamp } from '../primitives.ts';
import { deleted, idParams, line, name, paging, search, tags, timezone } from './fields.ts';
import { operation } from './operation.ts';

export const store = z.object({
  id: z.string(),
  name: z.string(),
  address: z.string().nullable(),
  city: z.string().nullable(),
  region: z.string().nullable(),
  country: z.string().nullable(),
  contact: z.string().nullable(),
  /** Informative: schedules are read in the organization's time zone. */
  timezone: z.string().nullable(),
  tags: z.array(z.string()),
  device_count: z.int(),
  created_at: timestamp,
  updated_at: timestamp,
});
export type Store = z.infer<typeof store>;

const details = {
  address: line.nullish(),
  city: line.nullish(),
  region: line.nullish(),
  country: line.nullish(),
  contact: line.nullish(),
  timezone: timezone.nullish(),
  tags: tags.optional(),
};

const tag = 'Stores';
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
  listStores: operation({
    id: 'listStores',
    method: 'GET',
    path: '/v1/stores',
    tag,
    summary: 'List stores, newest first',
    access: 'Read',
    query: z.strictObject({ ...paging, search: search.optional() }),
    data: z.array(store),
    list: true,
    example: { data: [exampleStore] },
  }),
  createStore: operation({
    id: 'createStore',
    method: 'POST',
    path: '/v1/stores',
    tag,
    summary: 'Make a store',
    description: `At most ${LIMITS.stores} stores an organization; more is 400.`,
    access: 'Write',
    body: z.strictObject({ name, ...details }),
    status: 201,
    data: store,
    example: { body: { name: 'Old town', city: 'Bremen' }, data: exampleStore },
  }),
  getStore: operation({
    id: 'getStore',
    method: 'GET',
    path: '/v1/stores/{id}',
    tag,
    summary: 'One store',
    access: 'Read',
    params: idParams,
    data: store,
    errors: ['STORE_NOT_FOUND'],
    example: { data: exampleStore },
  }),
  updateStore: operation({
    id: 'updateStore',
    method: 'PATCH',
    path: '/v1/stores/{id}',
    tag,
    summary: 'Change a store',
    access: 'Write',
    params: idParams,
    body: z.strictObject({ name: name.optional(), ...details }),
    data: store,
    errors: ['STORE_NOT_FOUND'],
    example: { body: { city: 'Bremen' }, data: exampleStore },
  }),
  deleteStore: operation({
    id: 'deleteStore',
    method: 'DELETE',
    path: '/v1/stores/{id}',
    tag,
    summary: 'Remove a store; its devices stay, without a store',
    access: 'Admin',
    params: idParams,
    data: deleted,
    errors: ['STORE_NOT_FOUND'],
    example: { data: { id: exampleStore.id, deleted: true } },
  }),
};
