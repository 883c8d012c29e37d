import { z } from 'zod';
import { timestamp } from '../primitives.ts';
import { deviceRequest, exampleDeviceRequest } from './device-requests.ts';
import { idParams } from './fields.ts';
import { operationsOf } from './operation.ts';

/** What somebody has asked a device for. */
export const screenshotRequest = deviceRequest.meta({ id: 'ScreenshotRequest' });
export type ScreenshotRequest = z.infer<typeof screenshotRequest>;

/** A picture of what a screen showed. */
export const screenshot = z
  .object({
    device_id: z.string(),
    taken_at: timestamp,
    /**
     * `requested`: somebody has asked for it; `interval`: the settings want one every so many minutes; `fault`: a fault began.
     */
    reason: z.enum(['requested', 'interval', 'fault']),
    /** Of the fault that began. */
    fault_code: z.string().nullable(),
    /** Of the JPEG image in bytes. */
    size: z.int(),
    /** The image: a path of this cloud, which needs the same authentication. It changes with every picture. */
    image_url: z.string(),
    /** What the player believed to show; null: the idle screen or another message. */
    current: z
      .object({
        playlist_id: z.string(),
        playlist_name: z.string().nullable(),
        content_id: z.string(),
        content_name: z.string().nullable(),
        since: timestamp,
      })
      .nullable(),
  })
  .meta({ id: 'Screenshot' });
export type Screenshot = z.infer<typeof screenshot>;

const define = operationsOf('Devices');

export const exampleScreenshot = {
  device_id: 'dev_01kzgm8q2c7d0vqk3m4a5b6c7d',
  taken_at: '2026-11-20T08:00:01.000Z',
  reason: 'requested',
  fault_code: null,
  size: 84_112,
  image_url: '/v1/devices/dev_01kzgm8q2c7d0vqk3m4a5b6c7d/screenshot/image?at=1763625601000',
  current: {
    playlist_id: 'pl_01kzgm8q2c7d0vqk3m4a5b6c7d',
    playlist_name: 'Breakfast',
    content_id: 'asset_01kzgm8q2c7d0vqk3m4a5b6c7d',
    content_name: 'Breakfast menu',
    since: '2026-11-20T07:59:55.000Z',
  },
} satisfies Screenshot;

export const screenshotOperations = {
  requestScreenshot: define('requestScreenshot', 'POST', '/v1/devices/{id}/screenshot', {
    summary: 'Ask a device for a picture of what it shows',
    description:
      'It goes over the socket of the device, or with its next heartbeat. `GET` tells when the picture is there; so does the ' +
      'event `device.screenshot`. While the device has not answered, the same request is returned again.',
    access: 'Write',
    params: idParams,
    status: 202,
    data: screenshotRequest,
    errors: ['DEVICE_NOT_FOUND', 'SCREENSHOTS_FORBIDDEN'],
    example: { data: exampleDeviceRequest },
  }),
  getScreenshot: define('getScreenshot', 'GET', '/v1/devices/{id}/screenshot', {
    summary: 'The newest picture of what a device shows, and the last request for one',
    description:
      'It was asked for, or the device has sent it of its own accord (`screenshot_interval_minutes`). A device also sends one when a fault begins. A picture is kept for 30 days (the operator can change that).',
    access: 'Read',
    params: idParams,
    data: z
      .object({
        screenshot: screenshot.nullable(),
        /** Those of faults: the last of each code, newest first, five at most. They do not replace `screenshot`. */
        fault_screenshots: z.array(screenshot),
        request: screenshotRequest.nullable(),
        /** Whose settings forbid screenshots of the device. */
        forbidden_by: z.enum(['device', 'organization']).nullable(),
      })
      .meta({ id: 'ScreenshotState' }),
    errors: ['DEVICE_NOT_FOUND'],
    example: {
      data: {
        screenshot: exampleScreenshot,
        fault_screenshots: [],
        request: { ...exampleDeviceRequest, status: 'succeeded', finished_at: '2026-11-20T08:00:02.000Z' },
        forbidden_by: null,
      },
    },
  }),
  getScreenshotImage: define('getScreenshotImage', 'GET', '/v1/devices/{id}/screenshot/image', {
    summary: 'The newest picture of what a device shows, or that of a fault, as JPEG',
    access: 'Read',
    params: idParams,
    query: z.strictObject({
      /** Of `image_url`: not read, but caches keep pictures apart by it. */
      at: z.string().max(20).optional(),
      /** Of `image_url`: the code of the fault; absent: the newest picture that is of none. */
      fault: z.string().max(100).optional(),
    }),
    data: z.string(),
    produces: 'image/jpeg',
    errors: ['DEVICE_NOT_FOUND', 'SCREENSHOT_NOT_FOUND'],
    example: { data: '' },
  }),
  takeLivePicture: define('takeLivePicture', 'POST', '/v1/devices/{id}/screenshot/live', {
    summary: 'What a device shows now, as JPEG, for somebody who looks at it',
    description:
      'Waits until the device has sent the picture, at most 10 seconds. A device takes at most one a second; all who wait at a ' +
      'time get the same one. Ask again when it has arrived to follow what is shown. The picture is not kept and no event ' +
      'tells of it; the audit log has one entry for each caller and device in 10 minutes. It goes over the socket of the device ' +
      'alone. At most 10 requests of a caller may wait at a time.',
    access: 'Write',
    params: idParams,
    data: z.string(),
    produces: 'image/jpeg',
    errors: ['DEVICE_NOT_FOUND', 'SCREENSHOTS_FORBIDDEN', 'NO_LIVE_ANSWER'],
    example: { data: '' },
  }),
};
