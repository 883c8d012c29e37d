import type { Query } from '@placard/client';
import { keepPreviousData, queryOptions, useQuery } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { placard } from './placard.ts';

type Filter = Pick<Query<'listDevices'>, 'store_id' | 'tag' | 'search' | 'country' | 'region' | 'city'>;

/** How long nobody has typed when devices are counted. */
const SETTLED_MS = 300;

const totalQuery = (filter: Filter) =>
  queryOptions({
    queryKey: ['device-total', filter],
    queryFn: async ({ signal }) =>
      (await placard.devices.list({ ...filter, limit: 1 }, { signal }).page()).meta.total ?? 0,
  });

/** How many devices a filter finds, asked for once nobody types; `isOld` while it is that of the filter before. */
export function useDeviceTotal(filter: Filter): { count: number | undefined; isOld: boolean } {
  const key = JSON.stringify(filter);
  const newest = useRef(filter);
  newest.current = filter;
  const [settled, setSettled] = useState({ key, filter });
  useEffect(() => {
    const timer = setTimeout(() => setSettled({ key, filter: newest.current }), SETTLED_MS);
    return () => clearTimeout(timer);
  }, [key]);
  const { data, isPlaceholderData } = useQuery({
    ...totalQuery(settled.filter),
    placeholderData: keepPreviousData,
  });
  return { count: data, isOld: isPlaceholderData || settled.key !== key };
}
