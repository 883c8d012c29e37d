import type { ScreenshotUpload } from '@placard/protocol';
import { MAX_SCREENSHOT_BYTES, MAX_SCREENSHOT_PIXELS } from '@placard/protocol';
import { playerOperations as operations } from '@placard/protocol/api';
import { ApiError, validationError } from '../domain/api-error.ts';
import { toIso } from '../domain/iso-time.ts';
import { jpegSize } from '../domain/jpeg-size.ts';
import type { Repositories } from '../database/cloud-database.ts';
import type { DeviceWithLive } from '../database/devices.ts';
import { route } from '../http-server/operation-route.ts';
import type { Route } from '../http-server/operation-route.ts';
import { findForbidding } from '../http-server/screenshot-permission.ts';
import { presentScreenshot } from '../http-server/present-screenshot.ts';
import { applyCommandReport } from './commands.ts';
import { requireOpenRequest } from './open-request.ts';
import { requirePairedDevice } from './paired-device.ts';
import { storeSent } from './store-sent.ts';
import type { DeviceUploadDeps } from './store-sent.ts';

const [JPEG_START, JPEG_END] = [Buffer.from([0xff, 0xd8, 0xff]), Buffer.from([0xff, 0xd9])];

/** The route that receives pictures of what devices show. */
export const screenshotUploadRoute = (deps: DeviceUploadDeps): Route =>
  route(operations.sendScreenshot, async ({ deviceId, body, nowMs }) => {
    await requireAwaited(deps.database, deviceId, body, nowMs);
    return storeSent(deps, decodeImage(body.image), async (tx, file) => {
      const device = await requireAwaited(tx, deviceId, body, nowMs);
      const picture = {
        device_id: device.id,
        taken_at: Date.parse(body.taken_at),
        received_at: nowMs,
        ...file,
        current: body.current && JSON.stringify(body.current),
      };
      const row = { ...picture, ...causeOf(body) };
      const replaced = await ('fault_code' in row ? tx.faultScreenshots.save(row) : tx.screenshots.save(row));
      if (body.command_id !== undefined) {
        await applyCommandReport(tx, device.id, body.command_id, { status: 'succeeded' }, nowMs);
      }
      // Those of the interval are no events: thousands of screens send one every few minutes.
      if ('fault_code' in row || row.reason === 'requested') {
        tx.recordEvent({
          type: 'device.screenshot',
          resource: device.id,
          data: { screenshot: presentScreenshot(row, {}) },
        });
      }
      return { result: { data: { taken_at: toIso(picture.taken_at) } }, replaced };
    });
  });

/** What the picture was taken for. */
function causeOf({
  command_id: commandId,
  fault_code,
}: ScreenshotUpload): { reason: 'requested' | 'interval' } | { fault_code: string } {
  if (commandId !== undefined) {
    return { reason: 'requested' };
  }
  return fault_code === undefined ? { reason: 'interval' } : { fault_code };
}

/** Throws unless this picture is wanted: a device must not fill the storage of its own accord. */
async function requireAwaited(
  repositories: Repositories,
  deviceId: string | null,
  body: ScreenshotUpload,
  nowMs: number,
): Promise<DeviceWithLive> {
  const device =
    body.command_id === undefined
      ? await requirePairedDevice(repositories, deviceId)
      : await requireOpenRequest(repositories, {
          deviceId,
          task: 'SCREENSHOT',
          commandId: body.command_id,
          nowMs,
        });
  if ((await findForbidding(repositories, device)) !== null) {
    throw new ApiError('COMMAND_NOT_FOUND', 'Screenshots of this device have been forbidden meanwhile.');
  }
  const cause = causeOf(body);
  if ('fault_code' in cause && !(await mayTellFault(repositories, device, nowMs))) {
    throw new ApiError('COMMAND_NOT_FOUND', 'The picture of another fault has come just before.');
  }
  if (
    'reason' in cause &&
    cause.reason === 'interval' &&
    !(await isIntervalOver(repositories, device, nowMs))
  ) {
    throw new ApiError('COMMAND_NOT_FOUND', 'The settings want no picture of this screen now.');
  }
  return device;
}

/** Whether the settings want another picture. */
async function isIntervalOver(
  { organization, screenshots }: Repositories,
  device: DeviceWithLive,
  nowMs: number,
): Promise<boolean> {
  const minutes =
    device.screenshot_interval_minutes ?? (await organization.get()).screenshot_interval_minutes ?? 0;
  if (minutes === 0) {
    return false;
  }
  const last = await screenshots.find(device.id);
  // Half of the interval at least: clocks are corrected, and some pictures travel longer than others.
  return last?.reason !== 'interval' || nowMs - last.received_at >= minutes * 30_000;
}

/** A player sends those of faults 30 s apart. */
const MIN_FAULT_GAP_MS = 20_000;

async function mayTellFault(
  { faultScreenshots }: Repositories,
  { id }: DeviceWithLive,
  nowMs: number,
): Promise<boolean> {
  const [newest] = await faultScreenshots.list(id);
  return newest === undefined || nowMs - newest.received_at >= MIN_FAULT_GAP_MS;
}

/**
 * The bytes of a JPEG image that a device has sent, neither side longer than `maxPixels`; throws for anything else. A small file may
 * say that it has a size for which the browser of the person who looks at it has no memory.
 */
export function decodeImage(base64: string, maxPixels = MAX_SCREENSHOT_PIXELS): Buffer {
  const bytes = Buffer.from(base64, 'base64');
  const isJpeg =
    bytes.subarray(0, JPEG_START.length).equals(JPEG_START) &&
    bytes.subarray(-JPEG_END.length).equals(JPEG_END);
  const size = isJpeg ? jpegSize(bytes) : null;
  if (!size || Math.max(size.width, size.height) > maxPixels || bytes.length > MAX_SCREENSHOT_BYTES) {
    throw validationError([
      {
        path: 'image',
        message: `must be a JPEG image of at most ${maxPixels} pixels a side and ${MAX_SCREENSHOT_BYTES} bytes, in Base64`,
      },
    ]);
  }
  return bytes;
}
