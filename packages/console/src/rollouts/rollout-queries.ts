import type { Query, Rollout } from '@placard/client';
import { queryOptions } from '@tanstack/react-query';
import { placard } from '../api/placard.ts';
import { readPage } from '../api/read-page.ts';

export type DeviceStatus = NonNullable<Query<'listRolloutDevices'>['status']>;

/** What screens report is no event. */
const COMPARED_AGAIN_MS = 60_000;

/** Whether something may still become of a rollout without a person. */
export const isUnfinished = ({ finished_at: finishedAt }: Pick<Rollout, 'finished_at'>): boolean =>
  finishedAt === null;

/** Whether its end is that of the hold on updates: also screens outside a filter would update of their own accord. */
export const isForAll = ({ filter = {} }: { filter?: object }): boolean => Object.keys(filter).length === 0;

/** A page of the rollouts, newest first; pages count from 1. */
export const rolloutListQuery = (page: number) =>
  queryOptions({
    queryKey: ['rollouts', 'list', page],
    queryFn: ({ signal }) => readPage(page, (query) => placard.rollouts.list(query, { signal }).page()),
  });

export const rolloutQuery = (id: string) =>
  queryOptions({
    queryKey: ['rollouts', 'one', id],
    queryFn: ({ signal }) => placard.rollouts.get(id, { signal }),
  });

/** What the screens of the current ring report, before and after. */
export const comparisonQuery = ({ id, finished_at }: Pick<Rollout, 'id' | 'finished_at'>) =>
  queryOptions({
    queryKey: ['rollouts', 'comparison', id],
    queryFn: ({ signal }) => placard.rollouts.getComparison(id, { signal }),
    refetchInterval: isUnfinished({ finished_at }) ? COMPARED_AGAIN_MS : false,
  });

/** A page of the devices of a rollout, in the order in which they are told; pages count from 1. */
export const rolloutDevicesQuery = (id: string, status: DeviceStatus | undefined, page: number) =>
  queryOptions({
    queryKey: ['rollouts', 'devices', id, status, page],
    queryFn: ({ signal }) =>
      readPage(page, (query) =>
        placard.rollouts
          .listDevices(id, { ...query, ...(status !== undefined && { status }) }, { signal })
          .page(),
      ),
  });
