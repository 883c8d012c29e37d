import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { placard } from '../api/placard.ts';
import { bodyOf } from './schedule-draft.ts';
import type { Draft, Target } from './schedule-draft.ts';

/** The schedules whose name matches, by name: the first hundred, and how many there are. */
export const scheduleListQuery = (search: string) =>
  queryOptions({
    queryKey: ['schedules', 'list', search],
    queryFn: async ({ signal }) => {
      const query = { limit: 100, sort: 'name' as const, ...(search !== '' && { search }) };
      const { data, meta } = await placard.schedules.list(query, { signal }).page();
      return { schedules: data, total: meta.total ?? data.length };
    },
  });

/** A schedule with the ETag that a change to it names. */
export const scheduleQuery = (id: string) =>
  queryOptions({
    queryKey: ['schedules', 'one', id],
    queryFn: async ({ signal }) => {
      const { data, etag } = await placard.request('GET /v1/schedules/{id}', { path: { id }, signal });
      return { schedule: data, etag };
    },
  });

/** Rules of more schedules could not be told apart in a week. */
const MAX_OTHERS = 20;

const isSameTarget = (a: Target, b: Target): boolean =>
  a.type === 'tag'
    ? b.type === 'tag' && a.value === b.value
    : a.type === b.type && (!('id' in a) || !('id' in b) || a.id === b.id);

/** The other active schedules that are for all screens, or for a target that is among these: the first twenty, with their rules. */
export const otherSchedulesQuery = (id: string, targets: readonly Target[]) =>
  queryOptions({
    queryKey: ['schedules', 'list', 'others', id, targets],
    queryFn: async ({ signal }) => {
      const all = await placard.schedules.list({ is_active: true, limit: 100 }, { signal }).toArray();
      const others = all.filter(
        (schedule) =>
          schedule.id !== id &&
          schedule.targets.some(
            (theirs) =>
              theirs.type === 'all' ||
              targets.some((ours) => ours.type === 'all' || isSameTarget(ours, theirs)),
          ),
      );
      return Promise.all(
        others.slice(0, MAX_OTHERS).map((schedule) => placard.schedules.get(schedule.id, { signal })),
      );
    },
    enabled: targets.length > 0,
    placeholderData: keepPreviousData,
  });

const DAY_MS = 86_400_000;

/**
 * What saving a draft would do to the screens in the seven days from an instant on, or from now; nothing is stored. Its errors are those of
 * saving.
 */
export const tryQuery = (id: string, draft: Draft, from: string | undefined) =>
  queryOptions({
    queryKey: ['schedules', 'try', id, draft, from],
    queryFn: ({ signal }) =>
      placard.schedules.update(id, bodyOf(draft), {
        signal,
        query: { dry_run: true, from, to: from && new Date(Date.parse(from) + 7 * DAY_MS).toISOString() },
      }),
    gcTime: 60_000,
  });

/** The names of all playlists, by id. */
export const playlistNamesQuery = queryOptions({
  queryKey: ['playlists', 'names-by-id'],
  queryFn: async ({ signal }) => {
    const playlists = await placard.playlists.list({}, { signal }).toArray();
    return new Map(playlists.map(({ id, name }) => [id, name]));
  },
});

/** The organization: its time zone is that of the rules. */
export const organizationQuery = queryOptions({
  queryKey: ['organization', 'zone'],
  queryFn: async ({ signal }) => (await placard.request('GET /v1/organization', { signal })).data,
  staleTime: 5 * 60_000,
});

/** Some devices whose name matches. */
export const deviceSearchQuery = (search: string) =>
  queryOptions({
    queryKey: ['devices', 'search', search],
    queryFn: async ({ signal }) =>
      (await placard.devices.list({ search, limit: 8 }, { signal }).page()).data.map(({ id, name }) => ({
        id,
        name,
      })),
  });

export const deviceNameQuery = (id: string) =>
  queryOptions({
    queryKey: ['device', id, 'name'],
    queryFn: async ({ signal }) => (await placard.devices.get(id, { signal })).name,
  });

/** What the screens show at an instant, those of one store or all: the first hundred. */
export const shownAtQuery = (at: string, store: string | undefined) =>
  queryOptions({
    queryKey: ['timeline', 'at', at, store],
    queryFn: async ({ signal }) => {
      const query = {
        at,
        limit: 100,
        sort: 'name' as const,
        ...(store !== undefined && { store_id: store }),
      };
      const { data, meta } = await placard.timeline.list(query, { signal }).page();
      return { moments: data, total: meta.total ?? data.length };
    },
  });
