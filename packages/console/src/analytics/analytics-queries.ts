import type { Data, PlayCounts } from '@placard/client';
import { queryOptions } from '@tanstack/react-query';
import { placard } from '../api/placard.ts';
import { spanOf, stepsOf } from './analytics-search.ts';
import type { AnalyticsSearch } from './analytics-search.ts';

export type Overview = Data<'getAnalytics'>;
export type Uptime = Data<'getUptime'>[number];
export type { PlayCounts };

export const PAGE_SIZE = 50;
const STALE_MS = 60_000;

const rangeOf = (search: AnalyticsSearch) => {
  const { fromMs, toMs } = spanOf(search, Date.now());
  return { from: new Date(fromMs).toISOString(), to: new Date(toMs).toISOString() };
};

/** What the plays that an address means have in common, as the API asks for it. */
const filterOf = (search: AnalyticsSearch) => ({
  ...rangeOf(search),
  ...(search.content !== undefined && { content_id: search.content }),
  ...(search.device !== undefined && { device_id: search.device }),
  ...(search.playlist !== undefined && { playlist_id: search.playlist }),
});

const spanKey = ({ period, from, to }: AnalyticsSearch) => [period, from, to];
const filterKey = (search: AnalyticsSearch) => [
  ...spanKey(search),
  search.content,
  search.device,
  search.playlist,
];

/** Devices, uptime and plays of the whole organization. */
export const overviewQuery = (search: AnalyticsSearch) =>
  queryOptions({
    queryKey: ['analytics', 'overview', ...spanKey(search)],
    queryFn: ({ signal }) => placard.analytics.get(rangeOf(search), { signal }),
    staleTime: STALE_MS,
  });

/** Plays of each hour or day, oldest first; also of those without any. */
export const playsOverTimeQuery = (search: AnalyticsSearch) =>
  queryOptions({
    queryKey: ['analytics', 'over-time', ...filterKey(search)],
    queryFn: async ({ signal }) => {
      const nowMs = Date.now();
      const span = spanOf(search, nowMs);
      const query = { ...filterOf(search), group_by: span.step };
      const { data } = await placard.analytics.getPlays(query, { signal }).page();
      const found = new Map(data.map((row) => [Date.parse(row.key ?? ''), row]));
      const rows = stepsOf(span, nowMs).map((atMs) => ({
        atMs,
        plays: found.get(atMs)?.plays ?? 0,
        play_seconds: found.get(atMs)?.play_seconds ?? 0,
        failed: found.get(atMs)?.failed ?? 0,
      }));
      return { step: span.step, rows };
    },
    staleTime: STALE_MS,
  });

/** A page of the plays by content, screen, store or playlist, most first; pages count from 1. */
export const playsQuery = (search: AnalyticsSearch, by: 'content' | 'device' | 'store' | 'playlist') =>
  queryOptions({
    queryKey: ['analytics', 'plays', by, search.page ?? 1, ...filterKey(search)],
    queryFn: async ({ signal }) => {
      const query = { ...filterOf(search), group_by: by, page: search.page ?? 1, limit: PAGE_SIZE };
      const { data, meta } = await placard.analytics.getPlays(query, { signal }).page();
      return { rows: data, total: meta.total ?? 0 };
    },
    staleTime: STALE_MS,
  });

/** The uptime of every screen, lowest first. */
export const uptimeQuery = (search: AnalyticsSearch) =>
  queryOptions({
    queryKey: ['analytics', 'uptime', ...spanKey(search)],
    queryFn: ({ signal }) => placard.analytics.getUptime(rangeOf(search), { signal }),
    staleTime: STALE_MS,
  });

/** The name of what plays are filtered by. */
export const filterNameQuery = (kind: 'content' | 'device' | 'playlist', id: string) =>
  queryOptions({
    queryKey: ['analytics', 'name', kind, id],
    queryFn: async ({ signal }): Promise<string> => {
      const resource = { content: placard.content, device: placard.devices, playlist: placard.playlists }[
        kind
      ];
      return (await resource.get(id, { signal })).name;
    },
    staleTime: STALE_MS,
  });

/** Where the browser gets every play that an address means as CSV: it is stored while it arrives, however long it is. */
export const csvAddress = (search: AnalyticsSearch): string =>
  `/v1/analytics/plays.csv?${new URLSearchParams(filterOf(search)).toString()}`;

/** The screens that a person may see, by name; the first 100. */
export const ownScreensQuery = queryOptions({
  queryKey: ['devices', 'names'],
  queryFn: async ({ signal }) =>
    (await placard.devices.list({ sort: 'name', limit: 100 }, { signal }).page()).data,
});
