import { EventEmitter, once } from 'node:events';
import { Agent } from 'undici';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  buildReportedState,
  buildSample,
  pairDevice,
} from '../../packages/cloud/test/support/paired-device.ts';
import { startTestCloud } from '../../packages/cloud/test/support/test-cloud.ts';
import type { TestCloud } from '../../packages/cloud/test/support/test-cloud.ts';
import { helloMessage, openCloudLink } from '../support/open-cloud-link.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const { signal } = new AbortController();
const iso = (laterMs: number) => new Date(cloud.clock.nowMs() + laterMs).toISOString();

test('the heartbeats of a player arrive over its socket, each once, and bring its commands', async () => {
  const screen = await pairDevice(cloud);
  const path = `/v1/devices/${screen.deviceId}`;
  const countSamples = async () => {
    const { data } = await cloud.admin.get(`${path}/heartbeats?interval=day`);
    return data.reduce((sum: number, { samples }: { samples: number }) => sum + samples, 0);
  };
  const noHttp = new Agent({ connect: (_, callback) => callback(new Error('only the socket'), null) });
  const deviceLink = (options = {}) => openCloudLink(cloud.cloud.url, options).createDeviceLink(screen.token);
  const [onSocket, byHttp] = [deviceLink({ dispatcher: noHttp }), deviceLink()];
  const stop = new AbortController();
  const heard = new EventEmitter();
  const welcomed = once(heard, 'welcome');
  const ended = onSocket.openSocket(
    { hello: helloMessage, onMessage: ({ type }) => void heard.emit(type) },
    stop.signal,
  );
  await welcomed;

  const state = buildReportedState();
  const first = { samples: [buildSample(iso(0))], state };
  expect(await onSocket.sendHeartbeat(first, signal)).toMatchObject({ response: { commands: [] } });
  const { id } = (await cloud.admin.post(`${path}/commands`, { command: 'REFRESH' })).data;
  const second = {
    samples: [buildSample(iso(1_000))],
    state: { ...state, uptime_seconds: 61, shell: 'kiosk' },
  };
  const answer = await onSocket.sendHeartbeat(second, signal);
  expect(answer).toMatchObject({ kind: 'ok', response: { commands: [{ id, command: 'REFRESH' }] } });
  // By HTTP, as after an acknowledgement that was lost: the same answer, and no sample more.
  expect(await byHttp.sendHeartbeat(second, signal)).toMatchObject({
    response: { commands: [{ id }] },
  });
  expect(await countSamples()).toBe(2);
  expect((await cloud.admin.get(path)).data).toMatchObject({ status: 'online', player_version: '0.1.0' });

  stop.abort();
  await ended;
});
