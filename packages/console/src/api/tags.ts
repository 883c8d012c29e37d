import { queryOptions } from '@tanstack/react-query';
import { placard } from './placard.ts';

/** The tags of devices, as many as one request gives; more are found in the fleet. */
export const tagsQuery = queryOptions({
  queryKey: ['tags'],
  queryFn: async ({ signal }) => (await placard.tags.list({ limit: 100 }, { signal }).page()).data,
});
