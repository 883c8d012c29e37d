import { queryOptions } from '@tanstack/react-query';
import { placard } from '../api/placard.ts';
import { readPage } from '../api/read-page.ts';

export type AlertStatus = 'open' | 'resolved';

/** Devices join and leave an open alert without an event. */
const READ_AGAIN_MS = 30_000;
const MAIL_READ_AGAIN_MS = 10_000;

/** A page of the alerts that are open or resolved, newest first; pages count from 1. */
export const alertListQuery = (status: AlertStatus, page: number) =>
  queryOptions({
    queryKey: ['alerts', 'list', status, page],
    queryFn: ({ signal }) =>
      readPage(page, (query) => placard.alerts.list({ ...query, status }, { signal }).page()),
    refetchInterval: status === 'open' ? READ_AGAIN_MS : false,
  });

export const alertQuery = (id: string) =>
  queryOptions({
    queryKey: ['alerts', 'one', id],
    queryFn: ({ signal }) => placard.alerts.get(id, { signal }),
    refetchInterval: ({ state }) => (state.data?.status === 'open' ? READ_AGAIN_MS : false),
  });

/** A page of the devices of an alert, in the order in which they joined; pages count from 1. */
export const alertDevicesQuery = (id: string, page: number) =>
  queryOptions({
    queryKey: ['alerts', 'devices', id, page],
    queryFn: ({ signal }) =>
      readPage(page, (query) => placard.alerts.listDevices(id, query, { signal }).page()),
    refetchInterval: ({ state }) =>
      state.data?.rows.some((device) => device.over_at === null) ? READ_AGAIN_MS : false,
  });

/** While an alert is open further mails may follow, without an event. */
export const alertMailsQuery = (id: string, isOpen: boolean) =>
  queryOptions({
    queryKey: ['alerts', 'mails', id],
    queryFn: ({ signal }) => placard.alerts.listMails(id, { signal }),
    refetchInterval: ({ state }) =>
      isOpen || state.data?.some(({ status }) => status === 'pending') ? MAIL_READ_AGAIN_MS : false,
  });

/** All rules, newest first: an organization has at most fifty. */
export const ruleListQuery = queryOptions({
  queryKey: ['alerts', 'rules'],
  queryFn: async ({ signal }) => (await placard.alerts.listRules({ limit: 100 }, { signal }).page()).data,
});

/** For which devices no alert is opened for a while. One that is over is left out, without an event. */
export const mutesQuery = queryOptions({
  queryKey: ['alerts', 'mutes'],
  queryFn: ({ signal }) => placard.alerts.listMutes({ signal }),
  refetchInterval: READ_AGAIN_MS,
});

export const deviceNameQuery = (id: string) =>
  queryOptions({
    queryKey: ['device-name', id],
    queryFn: async ({ signal }) => (await placard.devices.get(id, { signal })).name,
    staleTime: 60_000,
  });

/** A rule with the ETag that a change to it names. */
export const ruleQuery = (id: string) =>
  queryOptions({
    queryKey: ['alerts', 'rule', id],
    queryFn: async ({ signal }) => {
      const { data, etag } = await placard.request('GET /v1/alert-rules/{id}', { path: { id }, signal });
      return { rule: data, etag };
    },
  });

/** How many alerts of a rule are open. */
export const openOfRuleQuery = (id: string) =>
  queryOptions({
    queryKey: ['alerts', 'open-of-rule', id],
    queryFn: async ({ signal }) => {
      const query = { rule_id: id, status: 'open', limit: 1 } as const;
      return (await placard.alerts.list(query, { signal }).page()).meta.total ?? 0;
    },
  });

/** Whether screens without settings of their own send pictures at intervals. */
export const sendsPicturesQuery = queryOptions({
  queryKey: ['organization', 'pictures'],
  queryFn: async ({ signal }) => {
    const { data } = await placard.request('GET /v1/organization', { signal });
    return data.screenshots_allowed && data.screenshot_interval_minutes !== null;
  },
});
