import { queryOptions } from '@tanstack/react-query';
import { placard } from '../api/placard.ts';

/** As in the address of the page. */
export interface DeviceFilters {
  search?: string;
  status?: 'online' | 'offline';
  store?: string;
  tag?: string;
}

/** Rows of one request: the most that the API gives. */
export const PAGE_SIZE = 100;

const toQuery = ({ store, ...rest }: DeviceFilters) => ({
  ...rest,
  ...(store !== undefined && { store_id: store }),
});

/** A page of the devices that match, newest first, counted from 0. */
export const devicesQuery = (filters: DeviceFilters, page: number) =>
  queryOptions({
    queryKey: ['devices', filters, page],
    queryFn: async ({ signal }) => {
      const query = { ...toQuery(filters), page: page + 1, limit: PAGE_SIZE };
      const { data, meta } = await placard.devices.list(query, { signal }).page();
      return { devices: data, total: meta.total ?? 0 };
    },
  });

/** What the devices of the same page show now, by device id. */
export const shownQuery = (filters: DeviceFilters, page: number) =>
  queryOptions({
    queryKey: ['timeline', filters, page],
    queryFn: async ({ signal }) => {
      const query = { ...toQuery(filters), page: page + 1, limit: PAGE_SIZE };
      const { data } = await placard.timeline.list(query, { signal }).page();
      return new Map(data.map((moment) => [moment.device.id, moment]));
    },
    staleTime: 60_000,
  });

/** How many devices have this status. */
export const countQuery = (status: 'online' | 'offline') =>
  queryOptions({
    queryKey: ['devices', 'count', status],
    queryFn: async ({ signal }) => {
      const { meta } = await placard.devices.list({ status, limit: 1 }, { signal }).page();
      return meta.total ?? 0;
    },
  });
