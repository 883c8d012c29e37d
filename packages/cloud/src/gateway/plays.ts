import { playerOperations as operations } from '@placard/protocol/api';
import { route } from '../http-server/operation-route.ts';
import type { Route } from '../http-server/operation-route.ts';
import { requireDeviceId } from './paired-device.ts';
import { createPlayIntake } from './play-intake.ts';
import type { PlayIntakeDeps } from './play-intake.ts';

export type { PlayQuota } from './play-intake.ts';

/** The route that receives plays. */
export function playRoutes(deps: PlayIntakeDeps): Route[] {
  const plays = createPlayIntake(deps);
  return [
    route(operations.sendPlays, async ({ deviceId, body, nowMs }) => ({
      data: await plays.receive(requireDeviceId(deviceId), body.plays, nowMs),
    })),
  ];
}
