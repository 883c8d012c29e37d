import type { Body } from '@placard/client';
import { queryOptions, skipToken } from '@tanstack/react-query';
import { placard } from '../api/placard.ts';
import type { DeviceFilters } from './fleet-search.ts';

/** Rows of one request: the most that the API gives. */
export const PAGE_SIZE = 100;
/** What changes without an event is read again this often while it is in view. */
const READ_AGAIN_MS = 60_000;
/** Devices that are collected when they cannot be counted before. */
const MOST_COLLECTED = 1000;

/** As the API calls the filters. */
export const toApiFilter = ({ store, version, ...rest }: DeviceFilters) => ({
  ...rest,
  ...(store !== undefined && { store_id: store }),
  ...(version !== undefined && { player_version: version }),
});

/**
 * A page of the devices that match, newest first, counted from 0. Revisions are compared one by one, so with that filter the first page
 * has all that were found, at most a thousand.
 */
export const devicesQuery = (filters: DeviceFilters, page: number) =>
  queryOptions({
    queryKey: ['devices', filters, page],
    // When a device was last heard is no event.
    refetchInterval: READ_AGAIN_MS,
    queryFn: async ({ signal }) => {
      const filter = toApiFilter(filters);
      if (filter.revision === undefined) {
        const query = { ...filter, page: page + 1, limit: PAGE_SIZE };
        const { data, meta } = await placard.devices.list(query, { signal }).page();
        return { devices: data, total: meta.total ?? 0 };
      }
      const devices = [];
      for await (const device of placard.devices.list({ ...filter, limit: PAGE_SIZE }, { signal })) {
        devices.push(device);
        if (devices.length === MOST_COLLECTED) {
          break;
        }
      }
      return { devices, total: devices.length };
    },
  });

/** The page that has this row, and where it is there. */
export const placeOf = (filters: DeviceFilters, index: number) =>
  filters.revision === undefined
    ? { page: Math.floor(index / PAGE_SIZE), at: index % PAGE_SIZE }
    : { page: 0, at: index };

/** What the devices of the same page show now, by device id. */
export const shownQuery = (filters: DeviceFilters, page: number) =>
  queryOptions({
    queryKey: ['timeline', filters, page],
    queryFn: async ({ signal }) => {
      // What devices should show does not depend on whether they do.
      const { revision: _revision, ...filter } = toApiFilter(filters);
      const query = { ...filter, page: page + 1, limit: PAGE_SIZE };
      const { data } = await placard.timeline.list(query, { signal }).page();
      return new Map(data.map((moment) => [moment.device.id, moment]));
    },
    staleTime: 60_000,
    // A rule may begin or end.
    refetchInterval: READ_AGAIN_MS,
    enabled: filters.revision === undefined,
  });

/** How many devices have this status. */
export const countQuery = (status: 'online' | 'offline') =>
  queryOptions({
    queryKey: ['device-counts', status],
    queryFn: async ({ signal }) => {
      const { meta } = await placard.devices.list({ status, limit: 1 }, { signal }).page();
      return meta.total ?? 0;
    },
  });

/** How many devices report each fault, have each version, and are behind. Not read with every event: the cloud counts all of them. */
export const countsQuery = queryOptions({
  queryKey: ['fleet-counts'],
  queryFn: ({ signal }) => placard.devices.count({ signal }),
  staleTime: 60_000,
  refetchInterval: 120_000,
});

/** The playlists that can be deployed. */
export const playlistNamesQuery = queryOptions({
  queryKey: ['playlists', 'names'],
  queryFn: ({ signal }) => placard.playlists.list({}, { signal }).toArray(),
});

/** The devices that somebody has marked, or all that the filters find. */
export type BulkDevices = Body<'createOperation'>['devices'];

/** Which videos of a playlist some of these devices cannot play. Asked anew each time; not without devices and playlist. */
export const bulkTrialQuery = (devices: BulkDevices | null, playlistId: string | null) =>
  queryOptions({
    queryKey: ['bulk-trial', devices, playlistId],
    queryFn:
      devices && playlistId !== null
        ? async ({ signal }) => {
            const order = { devices, action: { type: 'deploy' as const, playlist_id: playlistId } };
            const options = { query: { dry_run: true }, signal };
            return (await placard.operations.create(order, options)).warnings ?? [];
          }
        : skipToken,
    staleTime: 0,
    gcTime: 0,
  });
