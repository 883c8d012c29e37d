import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { png } from './support/media.ts';
import { pairDevice } from './support/paired-device.ts';
import type { PairedDevice } from './support/paired-device.ts';

let cloud: TestCloud;
let screen: PairedDevice;
beforeAll(async () => {
  cloud = await startTestCloud();
  screen = await pairDevice(cloud, { name: 'Counter' });
});
afterAll(() => cloud.close());

const made = async (path: string, body: unknown): Promise<string> =>
  (await cloud.admin.post(path, body)).data.id;
const EVERY_DAY = ['MON', 'TUE', 'WED', 'THU', 'FRI', 'SAT', 'SUN'];
const allDay = (playlistId: string, priority = 0) => ({
  playlist_id: playlistId,
  start_time: '00:00',
  end_time: '24:00',
  days: EVERY_DAY,
  priority,
});
const ask = async (query = '') =>
  (await cloud.admin.get(`/v1/devices/${screen.deviceId}/active-schedule${query}`)).data;

test('the explanation covers an empty winning playlist and an inactive schedule, with names', async () => {
  const asset = (await cloud.admin.upload(await png(1), 'a.png')).data;
  const full = await made('/v1/playlists', { name: 'Full', items: [{ content_id: asset.id }] });
  const empty = await made('/v1/playlists', { name: 'Nothing yet' });
  expect((await ask()).reason).toBe(
    'No rule is active and no playlist is deployed: the idle screen is shown.',
  );
  const here = [{ type: 'device', id: screen.deviceId }];
  const shop = await made('/v1/stores', { name: 'Old town' });
  const off = await made('/v1/schedules', {
    name: 'Christmas',
    is_active: false,
    rules: [allDay(full, 900)],
    targets: here,
  });
  await made('/v1/schedules', {
    name: 'Elsewhere',
    rules: [allDay(full)],
    targets: [{ type: 'store', id: shop }],
  });
  await made('/v1/schedules', { name: 'Low', rules: [allDay(full, 1)], targets: here });
  await made('/v1/schedules', { name: 'High', rules: [allDay(empty, 2)], targets: here });

  const answer = await ask();
  expect(answer.reason).toBe(
    'A rule of the schedule “High” is active and shows the playlist “Nothing yet”. ' +
      'The playlist “Nothing yet” is empty: the screen keeps what it showed before.',
  );
  expect(
    answer.candidates.map((each: { schedule_name: string; playlist: { name: string }; wins: boolean }) => [
      each.schedule_name,
      each.playlist.name,
      each.wins,
    ]),
  ).toEqual([
    ['High', 'Nothing yet', true],
    ['Low', 'Full', false],
    ['Christmas', 'Full', false],
    ['Elsewhere', 'Full', false],
  ]);
  const [high, low, christmas, elsewhere] = answer.candidates;
  expect(high.reason).toContain('is empty: the screen keeps what it showed before');
  expect(low.reason).toContain(`${high.rule_id} (“High”) has the higher priority`);
  expect(christmas).toMatchObject({
    schedule_id: off,
    matches: false,
    reason: 'Switched off: its schedule is not active.',
  });
  expect(elsewhere.reason).toContain(`store ${shop} (“Old town”)`);

  await cloud.admin.post(`/v1/schedules/${off}/activate`);
  const switchedOn = await ask();
  expect(switchedOn.schedule).toEqual({ id: off, name: 'Christmas' });
  expect(switchedOn.reason).not.toContain('empty');
});

test('candidates are paged', async () => {
  const first = await ask('?limit=3');
  const second = await ask('?limit=3&page=2');
  expect([first.candidates.length, first.candidates_meta]).toEqual([3, { page: 1, limit: 3, total: 4 }]);
  expect(second.candidates.length).toBe(1);
  const all = await ask();
  expect([...first.candidates, ...second.candidates]).toEqual(all.candidates);
  const path = `/v1/devices/${screen.deviceId}/active-schedule`;
  expect((await cloud.admin.get(`${path}?limit=101`)).error?.code).toBe('VALIDATION_ERROR');
});
