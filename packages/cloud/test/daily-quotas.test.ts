import { expect, onTestFinished, test } from 'vitest';
import { startTestCloud } from './support/test-cloud.ts';
import { pairDevice, buildSample, buildReportedState } from './support/paired-device.ts';

const DAY_MS = 86_400_000;
const iso = (ms: number) => new Date(ms).toISOString();

async function pairedCloud() {
  const cloud = await startTestCloud();
  onTestFinished(() => cloud.close());
  return { cloud, screen: await pairDevice(cloud) };
}

test('100,000 samples are stored per device and day; samples beyond that are dropped with 200', async () => {
  const { cloud, screen } = await pairedCloud();
  const lastMs = cloud.clock.nowMs();
  let next = 0;
  const send = async (count: number) => {
    const samples = Array.from({ length: count }, () => buildSample(iso(lastMs - 1000 * next++)));
    const { status } = await screen.client.post('/v1/player/heartbeats', {
      samples,
      state: buildReportedState(),
    });
    expect(status).toBe(200);
  };
  const counted = async () => {
    const range = `interval=day&from=${iso(lastMs - 10 * DAY_MS)}`;
    const { data } = await cloud.admin.get(`/v1/devices/${screen.deviceId}/heartbeats?${range}`);
    return data.reduce((sum: number, bucket: { samples: number }) => sum + bucket.samples, 0);
  };
  for (let n = 0; n < 101; n++) {
    await send(1000);
  }
  expect(await counted()).toBe(100_000);
  cloud.clock.advance(DAY_MS);
  await send(10);
  expect(await counted()).toBe(100_010);
});

test('500 faults per device and day are sent to webhooks, and all are shown', async () => {
  const { cloud, screen } = await pairedCloud();
  const webhook = await cloud.admin.post('/v1/webhooks', {
    url: 'https://ops.example/',
    events: ['device.alert'],
  });
  let next = 0;
  const send = (count: number) => {
    const since = iso(cloud.clock.nowMs());
    const faults = Array.from({ length: count }, () => ({ code: `fault.${next++}`, since }));
    return screen.client.post('/v1/player/heartbeats', {
      samples: [],
      state: buildReportedState({ faults }),
    });
  };
  const countDeliveries = async () =>
    (await cloud.admin.get(`/v1/webhooks/${webhook.data.id}/deliveries?limit=1`)).meta?.total;
  for (let n = 0; n < 6; n++) {
    await send(99);
  }
  expect(await countDeliveries()).toBe(500);
  expect((await cloud.admin.get(`/v1/devices/${screen.deviceId}`)).data.faults).toHaveLength(99);
  cloud.clock.advance(DAY_MS);
  await send(1);
  expect(await countDeliveries()).toBe(501);
});
