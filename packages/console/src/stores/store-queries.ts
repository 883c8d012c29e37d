import type { Data } from '@placard/client';
import { queryOptions } from '@tanstack/react-query';
import { placard } from '../api/placard.ts';

export type Store = Data<'listStores'>[number];

export const PAGE_SIZE = 100;

/** A page of the stores whose name matches, by name; pages count from 1. */
export const storeListQuery = (search: string, page: number) =>
  queryOptions({
    queryKey: ['stores', 'list', search, page],
    queryFn: async ({ signal }) => {
      const query = { page, limit: PAGE_SIZE, sort: 'name' as const, ...(search !== '' && { search }) };
      const { data, meta } = await placard.stores.list(query, { signal }).page();
      return { stores: data, total: meta.total ?? 0 };
    },
  });

/** A store with the ETag that a change to it names. */
export const storeQuery = (id: string) =>
  queryOptions({
    queryKey: ['stores', 'one', id],
    queryFn: async ({ signal }) => {
      const { data, etag } = await placard.request('GET /v1/stores/{id}', { path: { id }, signal });
      return { store: data, etag };
    },
  });

/** The rules for alerts that name a store, for which it cannot be deleted. */
export const alertRulesOfStoreQuery = (id: string) =>
  queryOptions({
    queryKey: ['alerts', 'rules-of-store', id],
    queryFn: async ({ signal }) => {
      const rules = await placard.alerts.listRules({}, { signal }).toArray();
      return rules.filter(({ filter }) => filter.store_id === id);
    },
  });

/** The schedules that name a store as a target. */
export const schedulesOfStoreQuery = (id: string) =>
  queryOptions({
    queryKey: ['schedules', 'of-store', id],
    queryFn: async ({ signal }) => {
      const schedules = await placard.schedules.list({}, { signal }).toArray();
      return schedules.filter(({ targets }) =>
        targets.some((target) => target.type === 'store' && target.id === id),
      );
    },
  });
