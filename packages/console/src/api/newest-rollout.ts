import type { Rollout } from '@placard/client';
import { queryOptions } from '@tanstack/react-query';
import { placard } from './placard.ts';

/** Of so many, those that have changed nothing are passed over. */
const NEWEST = 5;

/**
 * The newest rollout of a player version, the only one that may not have ended; null when there is none. One that has finished without
 * having updated a screen says nothing about when screens update, so the one before it is taken.
 */
export const newestRolloutQuery = queryOptions({
  queryKey: ['rollouts', 'newest'],
  queryFn: async ({ signal }) => {
    const { data } = await placard.rollouts.list({ limit: NEWEST }, { signal }).page();
    return data.find(hasChangedSomething) ?? data[0] ?? null;
  },
});

const hasChangedSomething = ({ status, rings }: Rollout): boolean =>
  status !== 'finished' || rings.some(({ updated }) => updated > 0);
