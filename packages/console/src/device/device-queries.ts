import type { Body, Data } from '@placard/client';
import { queryOptions } from '@tanstack/react-query';
import { placard } from '../api/placard.ts';

/** A device in full, with the ETag that a change to it names. */
export const deviceQuery = (id: string) =>
  queryOptions({
    queryKey: ['device', id],
    queryFn: async ({ signal }) => {
      const { data, etag } = await placard.request('GET /v1/devices/{id}', { path: { id }, signal });
      return { device: data, etag };
    },
    // What a screen reports is no event: readings are read again while somebody looks.
    refetchInterval: 30_000,
  });

/** What it shows from now on, for two days. */
export const deviceTimelineQuery = (id: string) =>
  queryOptions({
    queryKey: ['timeline', 'device', id],
    queryFn: ({ signal }) => {
      const to = new Date(Date.now() + 2 * 86_400_000).toISOString();
      return placard.timeline.get(id, { to }, { signal });
    },
    refetchInterval: 60_000,
  });

/** Devices of an alert that are looked through for one. */
const LOOKED_THROUGH = 100;

/**
 * The open alerts that concern it now. One of a store stays open while others have it, so each is asked for this device; one of more
 * devices than are looked through counts. Few rules are about the same device.
 */
export const deviceAlertsQuery = (id: string) =>
  queryOptions({
    queryKey: ['alerts', 'device', id],
    queryFn: async ({ signal }) => {
      const query = { device_id: id, status: 'open', limit: 10 } as const;
      const { data: alerts } = await placard.alerts.list(query, { signal }).page();
      const concerns = await Promise.all(
        alerts.map(async (alert) => {
          const devices = placard.alerts.listDevices(alert.id, { limit: LOOKED_THROUGH }, { signal });
          const found = (await devices.page()).data.find(({ device_id: each }) => each === id);
          return found === undefined || found.over_at === null;
        }),
      );
      return alerts.filter((_, index) => concerns[index]);
    },
    // It is over for one device without an event.
    refetchInterval: 30_000,
  });

/** The newest commands to it. */
export const deviceCommandsQuery = (id: string) =>
  queryOptions({
    queryKey: ['device', id, 'commands'],
    queryFn: async ({ signal }) => {
      const newest = placard.commands.list({ device_id: id, limit: 5 }, { signal });
      return (await newest.page()).data;
    },
  });

/** The newest picture of what it shows. An event tells of one that was asked for, but not that none will come. */
export const deviceScreenshotQuery = (id: string) =>
  queryOptions({
    queryKey: ['device', id, 'screenshot'],
    queryFn: ({ signal }) => placard.devices.getScreenshot(id, { signal }),
    refetchInterval: ({ state }) => (isOpenRequest(state.data?.request) ? 5_000 : 60_000),
  });

/** Its newest logs. An event tells of new ones, but not that none will come. */
export const deviceLogsQuery = (id: string) =>
  queryOptions({
    queryKey: ['device', id, 'logs'],
    queryFn: ({ signal }) => placard.devices.getLogs(id, { signal }),
    refetchInterval: ({ state }) => (isOpenRequest(state.data?.request) ? 5_000 : false),
  });

/** The text of one of these files. */
export const deviceLogFileQuery = (id: string, name: string, takenAt: string) =>
  queryOptions({
    queryKey: ['device-log-file', id, name, takenAt],
    queryFn: async ({ signal }) => (await placard.devices.getLogFile(id, name, { signal })).text(),
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Whether what was asked for may still come. */
export const isOpenRequest = (request: ScreenshotState['request'] | undefined): boolean =>
  request != null && ['queued', 'delivered', 'acknowledged'].includes(request.status);

/** What it should show in the seven days that begin with today. */
export const deviceWeekQuery = (id: string) =>
  queryOptions({
    queryKey: ['timeline', 'week', id],
    queryFn: ({ signal }) => {
      const from = new Date();
      const to = new Date(from.getTime() + 7 * 86_400_000);
      return placard.timeline.get(id, { from: from.toISOString(), to: to.toISOString() }, { signal });
    },
    staleTime: 5 * 60_000,
  });

/** What it measured in the last days: by the minute for a day, by the hour for a week. */
export const deviceReadingsQuery = (id: string, days: 1 | 7) =>
  queryOptions({
    queryKey: ['device', id, 'readings', days],
    queryFn: ({ signal }) => {
      const from = new Date(Date.now() - days * 86_400_000).toISOString();
      return placard.devices.listHeartbeats(
        id,
        { from, interval: days === 1 ? 'minute' : 'hour' },
        { signal },
      );
    },
    staleTime: 60_000,
  });

/** What it played most in the last seven days. */
export const devicePlaysQuery = (id: string) =>
  queryOptions({
    queryKey: ['plays', id],
    queryFn: async ({ signal }) => {
      const from = new Date(Date.now() - 7 * 86_400_000).toISOString();
      const query = { device_id: id, group_by: 'content', from, limit: 10 } as const;
      const { data } = await placard.analytics.getPlays(query, { signal }).page();
      return data.filter(({ plays }) => plays > 0);
    },
    staleTime: 60_000,
  });

/** The newest changes of it. */
export const deviceAuditQuery = (id: string) =>
  queryOptions({
    queryKey: ['device', id, 'audit'],
    queryFn: async ({ signal }) =>
      (await placard.auditLog.list({ resource_id: id, limit: 10 }, { signal }).page()).data,
  });

export type Reading = Data<'listHeartbeats'>[number];
export type DeviceDetail = Data<'getDevice'>;
export type CommandName = Body<'sendCommand'>['command'];
export type ScreenshotState = Data<'getScreenshot'>;
export type CommandStatus = Data<'listCommands'>[number]['status'];
