import { VIDEO_CLASSES } from '@placard/protocol';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { pairDevice } from './support/paired-device.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { capabilitiesWithout } from './support/capabilities.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const detailOf = async (deviceId: string) => (await cloud.admin.get(`/v1/devices/${deviceId}`)).data;

test('a device reports what it can play and what it is made of', async () => {
  const { client, deviceId } = await pairDevice(cloud);
  const before = await detailOf(deviceId);
  expect(before.decoders).toBeNull();
  const report = capabilitiesWithout('hevc');
  const hardware = {
    memory_total: 4_000_000_000,
    disk_total: 64_000_000_000,
    displays: [{ name: null, width: 3840, height: 2160 }],
  };
  const answer = await client.post('/v1/player/capabilities', { ...report, hardware });
  expect([answer.status, answer.data]).toEqual([200, { videos: VIDEO_CLASSES.length }]);
  const after = await detailOf(deviceId);
  expect(after.decoders).toEqual(report.videos);
  expect(after.hardware).toEqual({ ...before.hardware, ...hardware });
  expect(after.updated_at, 'nobody has edited it').toBe(before.updated_at);

  // Without hardware, and with what a newer player may add.
  const newer = { codec: 'h266', bit_depth: 12, width: 7680, height: 4320, frame_rate: 120, dolby: true };
  const all = capabilitiesWithout();
  const flags = { supported: true, smooth: true, power_efficient: false };
  const again = await client.post('/v1/player/capabilities', {
    videos: [...all.videos, { ...newer, ...flags }],
    speakers: 2,
  });
  expect(again.data).toEqual({ videos: VIDEO_CLASSES.length });
  expect(await detailOf(deviceId)).toMatchObject({ decoders: all.videos, hardware: after.hardware });
});

test('only devices report, and no more than there is to say', async () => {
  const { client, deviceId } = await pairDevice(cloud);
  const { videos } = capabilitiesWithout();
  expect((await cloud.admin.post('/v1/player/capabilities', { videos })).status).toBe(401);
  const refused = await client.post('/v1/player/capabilities', {
    videos: Array.from({ length: 201 }, () => videos[0]),
  });
  expect(refused.error?.code).toBe('VALIDATION_ERROR');
  const large = { name: 'x'.repeat(200), width: 1, height: 1 };
  await client.post('/v1/player/capabilities', {
    videos,
    hardware: { displays: Array.from({ length: 32 }, () => large), network_interfaces: [] },
  });
  const { hardware } = await detailOf(deviceId);
  expect(JSON.stringify(hardware).length).toBeLessThanOrEqual(8192);
  expect(hardware.displays.length).toBeGreaterThan(10);
});
