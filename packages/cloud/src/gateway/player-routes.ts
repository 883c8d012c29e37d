import { playerOperations as operations } from '@placard/protocol/api';
import { ApiError } from '../domain/api-error.ts';
import type { Measurements } from '../domain/measurements.ts';
import { directRoute, route } from '../http-server/operation-route.ts';
import type { Route } from '../http-server/operation-route.ts';
import { etagMatches } from '../http-server/etag.ts';
import { capabilitiesRoute } from './capabilities.ts';
import { applyCommandReport } from './commands.ts';
import type { HeartbeatIntake } from './heartbeat-intake.ts';
import { logsUploadRoute } from './device-logs.ts';
import { liveAnswerRoute } from './live.ts';
import type { LiveAnswerDeps } from './live.ts';
import { screenshotUploadRoute } from './screenshots.ts';
import type { DeviceUploadDeps } from './store-sent.ts';
import { deviceUnpairedError, requireDeviceId, requirePairedDevice } from './paired-device.ts';

export interface PlayerRoutesDeps extends DeviceUploadDeps, LiveAnswerDeps {
  heartbeats: HeartbeatIntake;
  measurements: Pick<Measurements, 'heartbeatAccepted'>;
}

export function playerRoutes({
  database,
  sentFiles,
  live,
  heartbeats,
  measurements,
}: PlayerRoutesDeps): Route[] {
  return [
    route(operations.getManifest, async ({ deviceId, request }) => {
      const manifest = await database.manifests.find(requireDeviceId(deviceId));
      if (!manifest) {
        throw deviceUnpairedError();
      }
      const etag = `"${manifest.revision}"`;
      if (etagMatches(request.headers['if-none-match'], etag)) {
        return { emptyStatus: 304, headers: { etag } };
      }
      return {
        json: manifest.json(),
        headers: { etag, 'cache-control': 'private, no-cache' },
      };
    }),
    directRoute(operations.sendHeartbeats, async ({ deviceId, body, nowMs }) => {
      const data = await heartbeats.receive(requireDeviceId(deviceId), body, nowMs);
      measurements.heartbeatAccepted('http');
      return { data };
    }),
    screenshotUploadRoute({ database, sentFiles }),
    logsUploadRoute({ database, sentFiles }),
    liveAnswerRoute({ database, live }),
    capabilitiesRoute({ database }),
    route(operations.reportCommand, async ({ deviceId, params, body, nowMs }) =>
      database.transaction(async (tx) => {
        const device = await requirePairedDevice(tx, deviceId);
        const status = await applyCommandReport(tx, device.id, params.id, body, nowMs);
        if (status === null) {
          throw new ApiError('COMMAND_NOT_FOUND', 'This device has no such command.');
        }
        return { data: { id: params.id, status } };
      }),
    ),
  ];
}
