import { Readable } from 'node:stream';
import type { NowPlaying } from '@placard/protocol';
import { screenshotOperations as operations } from '@placard/protocol/api';
import type { Repositories } from '../../database/cloud-database.ts';
import { ApiError } from '../../domain/api-error.ts';
import { route } from '../../http-server/operation-route.ts';
import type { Route } from '../../http-server/operation-route.ts';
import { findForbidding, requireScreenshotsAllowed } from '../../http-server/screenshot-permission.ts';
import { presentScreenshot } from '../../http-server/present-screenshot.ts';
import type { ScreenshotRow } from '../../http-server/present-screenshot.ts';
import { presentDeviceRequest, requestOfDevice } from '../../http-server/create-command.ts';
import type { HttpDeps } from '../deps.ts';
import { requireDevice } from '../devices/device-detail.ts';

const noScreenshot = () =>
  new ApiError('SCREENSHOT_NOT_FOUND', 'The device has sent no screenshot, or it was too old to keep.');

/** Pictures of what devices show. */
export function screenshotRoutes({ database, sentFiles, newId }: HttpDeps): Route[] {
  return [
    route(operations.requestScreenshot, async ({ params, nowMs, commit }) =>
      commit(async (tx) => {
        await requireScreenshotsAllowed(tx, await requireDevice(tx, params.id));
        return { data: await requestOfDevice(tx, { deviceId: params.id, task: 'SCREENSHOT', nowMs, newId }) };
      }),
    ),
    route(operations.getScreenshot, async ({ params, nowMs }) => {
      const device = await requireDevice(database, params.id);
      const row = await database.screenshots.find(params.id);
      const ofFaults = await database.faultScreenshots.list(params.id);
      const last = await database.commands.findLastTask(params.id, 'SCREENSHOT');
      return {
        data: {
          screenshot: row ? presentScreenshot(row, await findNames(database, row)) : null,
          fault_screenshots: await Promise.all(
            ofFaults.map(async (each) => presentScreenshot(each, await findNames(database, each))),
          ),
          request: last ? presentDeviceRequest(last, nowMs) : null,
          forbidden_by: await findForbidding(database, device),
        },
      };
    }),
    route(operations.getScreenshotImage, async ({ params, query }) => {
      await requireDevice(database, params.id);
      const found = await sentFiles.read<ScreenshotRow>(async () =>
        query.fault === undefined
          ? database.screenshots.find(params.id)
          : (await database.faultScreenshots.list(params.id)).find(
              ({ fault_code: code }) => code === query.fault,
            ),
      );
      if (!found) {
        throw noScreenshot();
      }
      const { row, bytes } = found;
      return {
        stream: Readable.from([bytes]),
        headers: {
          'content-type': 'image/jpeg',
          'content-length': String(bytes.length),
          // Under any other address the next picture is another one.
          'cache-control':
            query.at === String(row.received_at) ? 'private, max-age=3600' : 'private, no-cache',
        },
      };
    }),
  ];
}

async function findNames({ playlists, assets }: Repositories, { current }: ScreenshotRow) {
  const shown: NowPlaying | null = current === null ? null : JSON.parse(current);
  return {
    playlist: shown && (await playlists.findNames([shown.playlist_id])).get(shown.playlist_id),
    content: shown && (await assets.find(shown.content_id))?.name,
  };
}
