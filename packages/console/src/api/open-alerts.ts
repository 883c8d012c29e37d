import { queryOptions, useQuery } from '@tanstack/react-query';
import { placard } from './placard.ts';

/** Those that are named where alerts are only mentioned. */
const NAMED = 3;

const openAlertsQuery = queryOptions({
  queryKey: ['alerts', 'open'],
  queryFn: async ({ signal }) => {
    const { data, meta } = await placard.alerts.list({ status: 'open', limit: NAMED }, { signal }).page();
    return { count: meta.total ?? 0, newest: data };
  },
});

/** How many alerts are open, and the newest of them. */
export function useOpenAlerts() {
  const { data } = useQuery(openAlertsQuery);
  return data ?? { count: 0, newest: [] };
}
