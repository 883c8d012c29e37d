import { queryOptions } from '@tanstack/react-query';
import { placard } from './placard.ts';

/** The names of all stores, by id. */
export const storesQuery = queryOptions({
  queryKey: ['stores', 'names'],
  queryFn: async () => {
    const stores = await placard.stores.list().toArray();
    return new Map(stores.map(({ id, name }) => [id, name]));
  },
  staleTime: 5 * 60_000,
});
