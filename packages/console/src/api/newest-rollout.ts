import { queryOptions } from '@tanstack/react-query';
import { placard } from './placard.ts';

/** The newest rollout of a player version, the only one that may not have ended; null when there is none. */
export const newestRolloutQuery = queryOptions({
  queryKey: ['rollouts', 'newest'],
  queryFn: async ({ signal }) =>
    (await placard.rollouts.list({ limit: 1 }, { signal }).page()).data[0] ?? null,
});
