import { Readable } from 'node:stream';
import { screenshotOperations as operations } from '@placard/protocol/api';
import { ApiError } from '../../domain/api-error.ts';
import type { NoLiveAnswer } from '../../domain/live-requests.ts';
import { route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import { requireScreenshotsAllowed } from '../../http-server/screenshot-permission.ts';
import { createConcurrencyLimit } from '../concurrency-limit.ts';
import type { HttpDeps } from '../deps.ts';
import { requireDevice } from '../devices/device-detail.ts';

/** Of one caller, each for another device or in another window. */
const MAX_WAITING = 10;

const MESSAGES: Readonly<Record<NoLiveAnswer | 'offline', string>> = {
  offline: 'The device is offline.',
  no_socket: 'The device has no socket at the moment, and a live view needs one.',
  player_too_old: 'The player of the device is of a version without live view; update it.',
  no_answer: 'The device has not answered within 10 seconds.',
  failed: 'The player could not take a picture.',
};

const noAnswer = (reason: keyof typeof MESSAGES, problem: string | null = null) =>
  new ApiError('NO_LIVE_ANSWER', MESSAGES[reason], { details: { reason, problem } });

/** What a device shows now, again and again for somebody who looks; stored nowhere. */
export function livePictureRoutes({ live }: Pick<HttpDeps, 'live'>): Route[] {
  const views = createConcurrencyLimit(MAX_WAITING, 'requests for live pictures');
  return [
    route(operations.takeLivePicture, async (call) => {
      const { params, commit } = call;
      await commit(async (tx) => {
        const device = await requireDevice(tx, params.id);
        await requireScreenshotsAllowed(tx, device);
        if (device.status === 'offline') {
          throw noAnswer('offline');
        }
        // The response is not that of the transaction, which is here for the audit log.
        return { emptyStatus: 204, headers: {} };
      });
      const result = await views.run(call, (signal) => live.ask(params.id, 'picture', signal));
      if (result.kind === 'none') {
        throw noAnswer(result.reason, result.problem);
      }
      const image = Buffer.from(result.image, 'base64');
      return {
        stream: Readable.from([image]),
        headers: {
          'content-type': 'image/jpeg',
          'content-length': String(image.length),
          'cache-control': 'no-store',
        },
      };
    }),
  ];
}
