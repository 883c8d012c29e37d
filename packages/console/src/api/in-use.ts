import { queryOptions } from '@tanstack/react-query';
import { placard } from './placard.ts';

/** The versions of players and the codes of faults that there are, with how many devices have each. */
export const inUseQuery = queryOptions({
  queryKey: ['fleet-counts'],
  queryFn: ({ signal }) => placard.devices.count({ signal }),
  staleTime: 60_000,
});
