import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { pairDevice, buildReportedState } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';

const MINUTE_MS = 60_000;

let cloud: TestCloud;
let hookId: string;
beforeAll(async () => {
  cloud = await startTestCloud({ allowAddresses: ['127.0.0.1'] });
  const events = ['device.online', 'device.offline'];
  // Nothing listens there: the test reads the stored deliveries.
  hookId = (await cloud.admin.post('/v1/webhooks', { url: 'http://127.0.0.1:9/', events })).data.id;
});
afterAll(() => cloud.close());

const sendHeartbeat = (screen: PairedDevice) =>
  screen.client.post('/v1/player/heartbeats', { samples: [], state: buildReportedState() });
const statusOf = async (screen: PairedDevice) =>
  (await cloud.admin.get(`/v1/devices/${screen.deviceId}`)).data.status;
/** Webhook events of the device, oldest first. */
async function deliveredEvents(screen: PairedDevice): Promise<string[]> {
  const { data } = await cloud.admin.get(`/v1/webhooks/${hookId}/deliveries?limit=100`);
  return data
    .filter(
      (each: { payload: { data: { device: { id: string } } } }) =>
        each.payload.data.device.id === screen.deviceId,
    )
    .map((each: { event: string }) => each.event)
    .toReversed();
}
/** Advances the clock until the condition holds, while the device is silent. */
const advanceUntil = (condition: () => Promise<void>) =>
  eventually(async () => {
    cloud.clock.advance(5000);
    await condition();
  });

test('a restart of a few seconds does not change presence', async () => {
  const [fresh, nearlySilent] = [await pairDevice(cloud), await pairDevice(cloud)];
  await sendHeartbeat(nearlySilent);
  cloud.clock.advance(2.5 * MINUTE_MS);
  await sendHeartbeat(fresh);
  await cloud.restart(20_000);
  expect(await statusOf(fresh)).toBe('online');
  cloud.clock.advance(MINUTE_MS);
  await sendHeartbeat(fresh);
  await sendHeartbeat(nearlySilent);
  expect([await statusOf(fresh), await statusOf(nearlySilent)]).toEqual(['online', 'online']);
  expect(await deliveredEvents(fresh)).toEqual(['device.online']);
  expect(await deliveredEvents(nearlySilent), 'it could not report in time').toEqual(['device.online']);
});

test('after a long downtime devices are online only after a message, and those that return are not reported offline', async () => {
  const [back, gone] = [await pairDevice(cloud), await pairDevice(cloud)];
  for (const screen of [back, gone]) {
    await sendHeartbeat(screen);
  }
  await cloud.restart(60 * MINUTE_MS);
  expect([await statusOf(back), await statusOf(gone)]).toEqual(['offline', 'offline']);
  expect((await cloud.admin.get('/v1/devices?status=online')).data).toEqual([]);
  await sendHeartbeat(back);
  expect([await statusOf(back), await statusOf(gone)]).toEqual(['online', 'offline']);

  await advanceUntil(async () => {
    await sendHeartbeat(back);
    expect(await deliveredEvents(gone)).toEqual(['device.online', 'device.offline']);
  });
  expect(await deliveredEvents(back), 'it was never reported offline').toEqual(['device.online']);
  expect(await statusOf(back)).toBe('online');
});

test('an offline event that was missed before a restart is sent after it', async () => {
  const gone = await pairDevice(cloud);
  await sendHeartbeat(gone);
  await cloud.restart(60 * MINUTE_MS);
  await cloud.restart(60 * MINUTE_MS);
  await advanceUntil(async () =>
    expect(await deliveredEvents(gone)).toEqual(['device.online', 'device.offline']),
  );
  await sendHeartbeat(gone);
  expect(await deliveredEvents(gone)).toEqual(['device.online', 'device.offline', 'device.online']);
});
