import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { pairDevice, buildSample, buildReportedState } from './support/paired-device.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const now = () => new Date(cloud.clock.nowMs()).toISOString();

test('a player with an unknown device type can be paired', async () => {
  const start = await cloud.clientFor(null).post('/v1/player/pairing', {
    serial: 'SN-new',
    platform: 'fuchsia',
    player_version: '9.0.0',
    type: 'hologram',
    mood: 'good',
    hardware: {
      network_interfaces: [
        { name: 'quantum0', kind: 'quantum', mac: null, addresses: ['192.0.2.1'], ssid: null, spin: 'up' },
      ],
      projector: true,
    },
  });
  const paired = await cloud.admin.post('/v1/devices/pair', { code: start.data.code });
  expect(paired.data).toMatchObject({
    type: 'other',
    hardware: { network_interfaces: [{ name: 'quantum0', kind: 'other' }] },
  });
});

test('a heartbeat with unknown fields and faults is accepted', async () => {
  const screen = await pairDevice(cloud);
  const body = {
    samples: [{ ...buildSample(now()), fan_rpm: 900 }],
    state: {
      ...buildReportedState({ faults: [{ code: 'battery.low', since: now() }], tz_version: '2027a' }),
      battery: { percent: 4 },
    },
    neighbours: [],
  };
  const answer = await screen.client.post('/v1/player/heartbeats', body);
  expect(answer.status).toBe(200);
  const { data } = await cloud.admin.get(`/v1/devices/${screen.deviceId}`);
  expect(data).toMatchObject({
    faults: [{ code: 'battery.low' }],
    latest_heartbeat: { cpu_percent: 10 },
    tz_version: '2027a',
  });
});

test('the time zone data version of a device that does not report it is null', async () => {
  const screen = await pairDevice(cloud);
  await screen.client.post('/v1/player/heartbeats', { samples: [], state: buildReportedState() });
  expect((await cloud.admin.get(`/v1/devices/${screen.deviceId}`)).data.tz_version).toBeNull();
});

test('a play with an unknown outcome is counted, with the outcome as the reason', async () => {
  const screen = await pairDevice(cloud);
  const play = {
    id: 'play_00000000000000000000000001',
    content_id: 'asset_1',
    playlist_id: null,
    schedule_id: null,
    rule_id: null,
    started_at: now(),
    ended_at: now(),
    duration_ms: 0,
    outcome: 'skipped_by_viewer',
    reason: null,
    gestures: 3,
  };
  const answer = await screen.client.post('/v1/player/plays', { plays: [play, { ...play, id: 'odd' }] });
  expect(answer.data).toMatchObject({ accepted: [play.id], rejected: [{ index: 1 }] });
  const csv = await (await cloud.admin.raw('/v1/analytics/plays.csv')).text();
  expect(csv).toContain('interrupted,outcome: skipped_by_viewer');
});

test('an unknown command status counts as acknowledged', async () => {
  const screen = await pairDevice(cloud);
  const made = await cloud.admin.post(`/v1/devices/${screen.deviceId}/commands`, { command: 'REFRESH' });
  const statusResponse = await screen.client.post(`/v1/player/commands/${made.data.id}/status`, {
    status: 'halfway',
    result: { percent: 50 },
  });
  expect(statusResponse.data).toMatchObject({ status: 'acknowledged' });
});
