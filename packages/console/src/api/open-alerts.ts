import { queryOptions, useQuery } from '@tanstack/react-query';
import { placard } from './placard.ts';

/** Those that are named where alerts are only mentioned. */
const NAMED = 3;

/** A screen that somebody moves to another store takes its alerts with it, without an event for who may not see it any more. */
const READ_AGAIN_MS = 30_000;

const openAlertsQuery = queryOptions({
  queryKey: ['alerts', 'open'],
  queryFn: async ({ signal }) => {
    const { data, meta } = await placard.alerts.list({ status: 'open', limit: NAMED }, { signal }).page();
    return { count: meta.total ?? 0, newest: data };
  },
  refetchInterval: READ_AGAIN_MS,
});

/** How many alerts are open, and the newest of them. */
export function useOpenAlerts() {
  const { data } = useQuery(openAlertsQuery);
  return data ?? { count: 0, newest: [] };
}
