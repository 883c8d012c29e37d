import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { pairDevice } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';
import { sendS3Error } from './support/s3-server.ts';
import { startTestBucket } from './support/test-bucket.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

const HOUR_MS = 3_600_000;
type SentTable = 'screenshots' | 'fault_screenshots' | 'device_logs';

const accept = async (sent: Promise<{ status: number }>) => expect((await sent).status).toBe(200);

/** What devices send to a cloud, and which of their files it keeps. */
function sendTo(cloud: TestCloud) {
  const taken_at = () => new Date(cloud.clock.nowMs()).toISOString();
  const hashOf = async (table: SentTable, { deviceId }: PairedDevice) => {
    const { sha256 } = await cloud.inDatabase((db) =>
      db.selectFrom(table).select('sha256').where('device_id', '=', deviceId).executeTakeFirstOrThrow(),
    );
    return sha256;
  };
  return {
    /** Each of these returns the hash of the file. */
    picture: async (device: PairedDevice, image: Buffer): Promise<string> => {
      const { id } = (await cloud.admin.post(`/v1/devices/${device.deviceId}/screenshot`)).data;
      const body = { command_id: id, taken_at: taken_at(), current: null, image: image.toString('base64') };
      await accept(device.client.post('/v1/player/screenshots', body));
      return hashOf('screenshots', device);
    },
    pictureOfFault: async (device: PairedDevice, image: Buffer): Promise<string> => {
      cloud.clock.advance(30_000);
      const body = { fault_code: 'disk.full', taken_at: taken_at(), current: null };
      await accept(
        device.client.post('/v1/player/screenshots', { ...body, image: image.toString('base64') }),
      );
      return hashOf('fault_screenshots', device);
    },
    logs: async (device: PairedDevice, text: string): Promise<string> => {
      const { id } = (await cloud.admin.post(`/v1/devices/${device.deviceId}/logs`)).data;
      const bundle = gzipSync(JSON.stringify({ files: [{ name: 'runtime.log', text }] })).toString('base64');
      await accept(device.client.post('/v1/player/logs', { command_id: id, taken_at: taken_at(), bundle }));
      return hashOf('device_logs', device);
    },
    /** Which of the files there are. */
    kept: (hashes: readonly string[]) =>
      Promise.all(
        hashes.map(async (hash) => (await fetch(`${cloud.cloud.url}/cdn/${hash}.jpg`)).status === 200),
      ),
    shown: async ({ deviceId }: PairedDevice, query = '') => {
      const response = await cloud.admin.raw(`/v1/devices/${deviceId}/screenshot/image${query}`);
      return response.status === 200 ? Buffer.from(await response.arrayBuffer()) : response.status;
    },
  };
}

const buildPicture = (background: string) =>
  sharp({ create: { width: 32, height: 18, channels: 3, background } })
    .jpeg()
    .toBuffer();

async function startCloudOf(where: string) {
  const bucket = where === 'in a bucket' ? await startTestBucket() : null;
  const cloud = await startTestCloud(bucket ? { s3: bucket.settings } : {});
  onTestFinished(() => cloud.close());
  return cloud;
}

const WHERE = ['where media are by default', 'in a bucket'];

test.each(WHERE)('what a device sends takes the place of what it has sent before %s', async (where) => {
  const cloud = await startCloudOf(where);
  const { picture, pictureOfFault, logs, kept, shown } = sendTo(cloud);
  const [device, other] = [await pairDevice(cloud), await pairDevice(cloud)];
  const [red, blue] = [await buildPicture('red'), await buildPicture('blue')];
  // Another screen and a media file have the same bytes.
  const { data: media } = await cloud.admin.upload(red, 'red.jpg');
  const ofOther = await picture(other, red);
  const replaced = [
    await picture(device, red),
    await pictureOfFault(device, red),
    await logs(device, 'before'),
  ];
  expect(new Set([media.sha256, ofOther, ...replaced]).size).toBe(5);
  expect(await kept(replaced)).toEqual([true, true, true]);
  const newest = [
    await picture(device, blue),
    await pictureOfFault(device, blue),
    await logs(device, 'after'),
  ];
  expect(await kept(replaced)).toEqual([false, false, false]);
  expect(await kept([...newest, ofOther, media.sha256])).toEqual([true, true, true, true, true]);
  expect(await shown(device)).toEqual(blue);
  expect(await shown(device, '?fault=disk.full')).toEqual(blue);
  expect(await shown(other)).toEqual(red);
  const log = await cloud.admin.raw(`/v1/devices/${device.deviceId}/logs/runtime.log`);
  expect(await log.text()).toBe('after');
});

test.each(WHERE)('where pictures are forbidden nobody can read one by any path %s', async (where) => {
  const cloud = await startCloudOf(where);
  const { picture, pictureOfFault, logs, kept, shown } = sendTo(cloud);
  const [device, other] = [await pairDevice(cloud), await pairDevice(cloud)];
  const red = await buildPicture('red');
  const ofDevice = [await picture(device, red), await pictureOfFault(device, red)];
  const ofOther = [await picture(other, red), await pictureOfFault(other, red)];
  const logsOfDevice = await logs(device, 'of the device');
  const configuration = { screenshots_allowed: false };
  await cloud.admin.patch(`/v1/devices/${device.deviceId}`, { configuration });
  expect(await kept(ofDevice)).toEqual([false, false]);
  expect([await shown(device), await shown(device, '?fault=disk.full')]).toEqual([404, 404]);
  expect(await kept([...ofOther, logsOfDevice])).toEqual([true, true, true]);

  await cloud.admin.patch('/v1/organization', { screenshots_allowed: false });
  expect([await shown(other), await shown(other, '?fault=disk.full')]).toEqual([404, 404]);
  await eventually(async () => expect(await kept(ofOther)).toEqual([false, false]));
  expect(await kept([logsOfDevice])).toEqual([true]);
});

test('while a bucket refuses to delete files devices send others, and the clean-up deletes both later', async () => {
  const bucket = await startTestBucket();
  const cloud = await startTestCloud({ s3: bucket.settings });
  onTestFinished(() => cloud.close());
  const { picture, kept, shown } = sendTo(cloud);
  const device = await pairDevice(cloud);
  const [red, blue] = [await buildPicture('red'), await buildPicture('blue')];
  let refused = 0;
  bucket.intercept((request, response) => {
    if (request.method !== 'DELETE') {
      return false;
    }
    refused += 1;
    return sendS3Error(response, 403, 'AccessDenied');
  });
  const files = [await picture(device, red), await picture(device, blue)];
  expect(await shown(device)).toEqual(blue);
  expect([refused, await kept(files)]).toEqual([1, [true, true]]);
  bucket.intercept(null);
  await bucket.makeOlder('', 2 * HOUR_MS);
  await eventually(async () => {
    cloud.clock.advance(HOUR_MS);
    expect(await kept(files)).toEqual([false, true]);
  });
});
