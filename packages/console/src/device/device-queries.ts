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

/** The newest commands to it. */
export const deviceCommandsQuery = (id: string) =>
  queryOptions({
    queryKey: ['device', id, 'commands'],
    queryFn: async ({ signal }) => {
      const newest = placard.commands.list({ device_id: id, limit: 5 }, { signal });
      return (await newest.page()).data;
    },
  });

export type DeviceDetail = Data<'getDevice'>;
export type Orientation = DeviceDetail['orientation'];
export type CommandName = Body<'sendCommand'>['command'];
export type CommandStatus = Data<'listCommands'>[number]['status'];
