import { z } from 'zod';
import { liveLogLines } from '../player/live.ts';
import { timestamp } from '../primitives.ts';
import { deviceRequest, exampleDeviceRequest } from './device-requests.ts';
import { idParams } from './fields.ts';
import { operationsOf } from './operation.ts';

export const logsRequest = deviceRequest.meta({ id: 'LogsRequest' });

/** The newest logs that a device has sent. */
export const deviceLogs = z
  .object({
    device_id: z.string(),
    taken_at: timestamp,
    files: z.array(
      z.object({
        name: z.string(),
        /** Bytes of its text in UTF-8. */
        size: z.int(),
        /** A path of this cloud, which needs the same authentication. */
        url: z.string(),
      }),
    ),
  })
  .meta({ id: 'DeviceLogs' });
export type DeviceLogs = z.infer<typeof deviceLogs>;

export const exampleDeviceLogs = {
  device_id: exampleDeviceRequest.device_id,
  taken_at: '2026-11-20T08:00:01.000Z',
  files: [
    {
      name: 'runtime.log',
      size: 65_113,
      url: `/v1/devices/${exampleDeviceRequest.device_id}/logs/runtime.log`,
    },
  ],
} satisfies DeviceLogs;

const define = operationsOf('Devices');

export const deviceLogsOperations = {
  requestLogs: define('requestLogs', 'POST', '/v1/devices/{id}/logs', {
    summary: 'Ask a device for its logs and its status',
    description:
      'What the technician menu saves on a USB stick: the last lines of the logs of player and shell, also of the runs of the ' +
      'player before the present one, and the status, without secrets. It goes over the socket of the device, or with its next heartbeat; `GET` tells when the files are there. While ' +
      'the device has not answered, the same request is returned again.',
    access: 'Write',
    params: idParams,
    status: 202,
    data: logsRequest,
    errors: ['DEVICE_NOT_FOUND'],
    example: { data: exampleDeviceRequest },
  }),
  getLogs: define('getLogs', 'GET', '/v1/devices/{id}/logs', {
    summary: 'The newest logs of a device, and the last request for them',
    description: 'Logs are kept for 30 days, as screenshots are.',
    access: 'Write',
    params: idParams,
    data: z
      .object({ logs: deviceLogs.nullable(), request: logsRequest.nullable() })
      .meta({ id: 'DeviceLogsState' }),
    errors: ['DEVICE_NOT_FOUND'],
    example: {
      data: {
        logs: exampleDeviceLogs,
        request: { ...exampleDeviceRequest, status: 'succeeded', finished_at: '2026-11-20T08:00:02.000Z' },
      },
    },
  }),
  getLogFile: define('getLogFile', 'GET', '/v1/devices/{id}/logs/{name}', {
    summary: 'One file of the newest logs of a device, as text',
    access: 'Write',
    params: idParams.extend({ name: z.string().max(50) }),
    data: z.string(),
    produces: 'text/plain',
    errors: ['DEVICE_NOT_FOUND', 'LOGS_NOT_FOUND'],
    example: { data: '' },
  }),
  readLiveLog: define('readLiveLog', 'POST', '/v1/devices/{id}/logs/live', {
    summary: 'The newest lines of the log of a player, for somebody who follows it',
    description:
      'Waits until the device has sent them, at most 10 seconds. They are those that `runtime.log` of its logs would end with, as ' +
      'many as fit into 16,384 characters. Ask again every two seconds, and append the lines with higher numbers; when `run` has ' +
      'changed, the process has started again and counts from 0. Nothing is stored, and no event tells of it; the audit log has one ' +
      'entry for each caller and device in 10 minutes. It goes over the socket of the device alone. At most 10 requests of a ' +
      'caller may wait at a time.',
    access: 'Write',
    params: idParams,
    data: liveLogLines.meta({ id: 'LiveLogLines' }),
    errors: ['DEVICE_NOT_FOUND', 'NO_LIVE_ANSWER'],
    example: {
      data: {
        run: '6f1c2b9e-6f0e-4a43-9f0f-0b6f6f3c7a11',
        first: 1_204,
        lines: ['{"level":30,"time":1763629201000,"service":"sync","msg":"asset.fetched"}'],
      },
    },
  }),
};
