import { parseRetryAfterReason, SOCKET_CLOSE } from '@placard/protocol';
import { expect, onTestFinished, test } from 'vitest';
import { openEventStream } from './support/event-stream.ts';
import { ADMIN_KEY, startTestCloud } from './support/test-cloud.ts';
import { pairDevice } from './support/paired-device.ts';
import { openPlayerSocket } from './support/player-socket.ts';

const DEVICES = 4;
const DRAIN_MS = 3_000;

async function cloudWithSockets() {
  const cloud = await startTestCloud();
  onTestFinished(() => cloud.cloud.close());
  const devices = [];
  for (let n = 0; n < DEVICES; n++) {
    const { token } = await pairDevice(cloud);
    const socket = await openPlayerSocket(cloud.cloud.url, token);
    await socket.next();
    devices.push({ token, socket });
  }
  return { cloud, url: cloud.cloud.url, devices };
}

test('a cloud that drains is not ready, sends its devices away one after the other, and still answers', async () => {
  const { cloud, url, devices } = await cloudWithSockets();
  const closedAt: number[] = [];
  const beganMs = performance.now();
  const closes = devices.map(async ({ socket }) => {
    const closed = await socket.closed;
    closedAt.push(performance.now());
    return closed;
  });
  const drained = cloud.cloud.drain(DRAIN_MS, new AbortController().signal);

  const ready = await fetch(`${url}/readyz`);
  expect(ready.status).toBe(503);
  expect(await ready.json()).toMatchObject({ status: 'draining', database: 'ok' });
  expect((await fetch(`${url}/healthz`)).status).toBe(200);
  const list = await cloud.admin.get('/v1/devices');
  expect(list).toMatchObject({ status: 200, meta: { total: DEVICES } });
  expect(list.headers.get('connection'), 'no further request on it').toBe('close');
  await Promise.race(closes);
  await expect(openPlayerSocket(url, devices[0]!.token)).rejects.toThrow('503, Retry-After 5');

  for (const { code, reason } of await Promise.all(closes)) {
    expect(code).toBe(SOCKET_CLOSE.goingAway);
    expect(parseRetryAfterReason(reason)).toBe(500);
  }
  await drained;
  expect(closedAt[0]! - beganMs, 'after a load balancer has asked').toBeGreaterThan(DRAIN_MS / 7);
  expect(closedAt.at(-1)! - closedAt[0]!, 'not all at once').toBeGreaterThan(DRAIN_MS / 2);
});

test('a cloud that drains ends its event streams, and takes no more', async () => {
  const cloud = await startTestCloud();
  onTestFinished(() => cloud.cloud.close());
  const open = () => openEventStream(cloud.cloud.url, { key: ADMIN_KEY });
  const stream = await open();
  const drained = cloud.cloud.drain(DRAIN_MS, new AbortController().signal);
  await stream.ended;
  expect(stream.others).toEqual([expect.stringContaining('retry: 2000'), 'retry: 500']);
  expect((await open()).status).toBe(503);
  await drained;
});

test('draining ends at once when it is told to', async () => {
  const { cloud, devices } = await cloudWithSockets();
  const stop = new AbortController();
  const drained = cloud.cloud.drain(6_000, stop.signal);
  await devices.at(-1)!.socket.closed;
  stop.abort();
  await expect(drained).resolves.toBeUndefined();
});

test('a cloud that stops says to each device when to come back', async () => {
  const { cloud, devices } = await cloudWithSockets();
  await cloud.cloud.close();
  const closes = await Promise.all(devices.map(({ socket }) => socket.closed));
  expect(closes.every(({ code }) => code === SOCKET_CLOSE.goingAway)).toBe(true);
  const waits = closes.map(({ reason }) => parseRetryAfterReason(reason));
  expect(
    waits.toSorted((a, b) => Number(a) - Number(b)),
    'evenly',
  ).toEqual([0, 1250, 2500, 3750]);
});
