import { Readable } from 'node:stream';
import { deviceLogsOperations as operations } from '@placard/protocol/api';
import { ApiError } from '../../domain/api-error.ts';
import { readLogBundle } from '../../http-server/log-bundle.ts';
import { route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import { presentDeviceLogs } from '../../http-server/present-device-logs.ts';
import { presentDeviceRequest, requestOfDevice } from '../../http-server/create-command.ts';
import type { HttpDeps } from '../deps.ts';
import { requireDevice } from '../devices/device-detail.ts';

/** Logs and status of devices. */
export function deviceLogsRoutes({ database, sentFiles, newId }: HttpDeps): Route[] {
  return [
    route(operations.requestLogs, async ({ params, nowMs, commit }) =>
      commit(async (tx) => {
        await requireDevice(tx, params.id);
        return { data: await requestOfDevice(tx, { deviceId: params.id, task: 'LOGS', nowMs, newId }) };
      }),
    ),
    route(operations.getLogs, async ({ params, nowMs }) => {
      await requireDevice(database, params.id);
      const row = await database.deviceLogs.find(params.id);
      const last = await database.commands.findLastTask(params.id, 'LOGS');
      return {
        data: {
          logs: row ? presentDeviceLogs(row) : null,
          request: last ? presentDeviceRequest(last, nowMs) : null,
        },
      };
    }),
    route(operations.getLogFile, async ({ params }) => {
      await requireDevice(database, params.id);
      const found = await sentFiles.read(() => database.deviceLogs.find(params.id));
      const bundle = found && (await readLogBundle(found.bytes));
      const file = bundle?.files.find(({ name }) => name === params.name);
      if (!file) {
        throw new ApiError(
          'LOGS_NOT_FOUND',
          'The device has sent no logs with such a file, or they were too old to keep.',
        );
      }
      return {
        stream: Readable.from([Buffer.from(file.text)]),
        headers: {
          'content-type': 'text/plain; charset=utf-8',
          'content-disposition': `attachment; filename="${params.id}-${file.name}"`,
          'cache-control': 'private, no-cache',
        },
      };
    }),
  ];
}
