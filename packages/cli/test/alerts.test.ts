import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { eventually } from '../../../test/support/eventually.ts';
import { buildReportedState, pairDevice } from '../../cloud/test/support/paired-device.ts';
import { startRecordingServer } from '../../cloud/test/support/recording-server.ts';
import { startTestCloud } from '../../cloud/test/support/test-cloud.ts';
import type { TestCloud } from '../../cloud/test/support/test-cloud.ts';
import { runPlacard } from './support/run-placard.ts';

/** Nothing is mailed in these tests. */
const MAIL_SERVER = {
  host: '127.0.0.1',
  port: 9,
  isSecure: false,
  isTlsRequired: false,
  user: null,
  password: null,
  from: 'placard@example.com',
};
let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud({ mailServer: MAIL_SERVER });
});
afterAll(() => cloud.close());

const placard = (...args: string[]) => runPlacard(cloud, ['alerts', ...args]);

test('rules are added and listed, alerts are shown with their screens, and resolved with their rule', async () => {
  await cloud.admin.post('/v1/stores', { name: 'Ulm' });
  const screen = await pairDevice(cloud, { name: 'Window' });
  expect((await placard()).stdout).toContain('None.');
  const added = await placard('add-rule', 'Disks', '--fault', 'disk.full', '--json');
  expect(added.json).toMatchObject({
    condition: { type: 'fault', code: 'disk.full', minutes: 0 },
    filter: {},
  });
  const { id } = added.json;
  expect((await placard('add-rule', 'Ulm', '--offline', '10', '--store', 'Ulm')).stdout).toContain('arule_');
  expect((await placard('rules')).stdout).toMatch(/offline for 10 min[^]*fault disk\.full/);

  const since = new Date(cloud.clock.nowMs()).toISOString();
  const faults = [{ code: 'disk.full', since, facts: {} }];
  await eventually(async () => {
    cloud.clock.advance(15_000);
    await screen.client.post('/v1/player/heartbeats', { samples: [], state: buildReportedState({ faults }) });
    expect((await cloud.admin.get('/v1/alerts')).data).toHaveLength(1);
  });
  const [alert] = (await placard('list', '--json')).json;
  expect((await placard()).stdout).toMatch(/alert_\w+ +open +Window +fault disk\.full +1 /);
  expect((await placard('show', alert.id, '--json')).json).toMatchObject({
    id: alert.id,
    screens: [{ device_name: 'Window', over_at: null }],
  });
  expect((await placard('delete-rule', id)).code).toBe(0);
  expect((await placard()).stdout).toContain('None.');
  expect((await placard('list', '--all')).stdout).toMatch(/resolved +Window .* rule changed$/m);
});

test('an alert of which the screen was removed says that it is not known to be over', async () => {
  const screen = await pairDevice(cloud, { name: 'Removed' });
  const rule = (await placard('add-rule', 'Removed', '--offline', '5', '--json')).json;
  const passUntilListed = (status: string) =>
    eventually(async () => {
      cloud.clock.advance(15_000);
      const { data } = await cloud.admin.get(`/v1/alerts?device_id=${screen.deviceId}&status=${status}`);
      expect(data).toHaveLength(1);
    }, 60_000);
  await passUntilListed('open');
  await cloud.admin.delete(`/v1/devices/${screen.deviceId}`);
  await passUntilListed('resolved');
  expect((await placard('list', '--all')).stdout).toMatch(
    /resolved +Removed .* not known to be over: screens no longer watched$/m,
  );
  await placard('delete-rule', rule.id);
});

test.each([
  [['--hot', '80', '--for', '5'], { type: 'hot', celsius: 80, minutes: 5 }, '80 °C or hotter for 5 min'],
  [
    ['--disk-below', '10%'],
    { type: 'disk_below', free: 10, unit: 'percent', minutes: 0 },
    'less than 10 % free',
  ],
  [
    ['--disk-below', '500MB'],
    { type: 'disk_below', free: 500, unit: 'MB', minutes: 0 },
    'less than 500 MB free',
  ],
  [['--nothing-playable', '5'], { type: 'nothing_playable', minutes: 5 }, 'nothing to show for 5 min'],
  [['--black', '2'], { type: 'screen_black', pictures: 2, minutes: 0 }, 'black in 2 pictures'],
  [
    ['--frozen', '3', '--for', '10'],
    { type: 'screen_frozen', pictures: 3, minutes: 10 },
    'alike in 3 pictures for 10 min',
  ],
  [['--older-than', '1.4.0'], { type: 'old_version', version: '1.4.0', minutes: 0 }, 'older than 1.4.0'],
])('a condition is given and shown: %s', async (options, condition, shown) => {
  const { json } = await placard('add-rule', 'One', ...options, '--json');
  expect(json).toMatchObject({ condition });
  expect((await placard('rules')).stdout).toContain(shown);
  await placard('delete-rule', json.id);
});

test('a rule about pictures says that screens send none', async () => {
  const screen = await pairDevice(cloud, { name: 'Unseen', tags: ['unseen'] });
  const added = await placard('add-rule', 'Dark', '--black', '2', '--tag', 'unseen');
  expect(added.stderr).toContain('1 screen that the rule watches sends no pictures');
  const interval = { configuration: { screenshot_interval_minutes: 15 } };
  await cloud.admin.patch(`/v1/devices/${screen.deviceId}`, interval);
  const changed = await placard('set-rule', 'Dark', '--black', '3');
  expect([changed.code, changed.stderr]).toEqual([0, '']);
  await placard('delete-rule', 'Dark');
});

test('a rule has recipients, and others for alerts that stay open', async () => {
  const mail = ['--mail', 'a@example.com', '--escalate', '60:b@example.com,c@example.com'];
  const { json } = await placard('add-rule', 'Mailed', '--offline', '5', ...mail, '--json');
  expect(json).toMatchObject({
    recipients: ['a@example.com'],
    escalations: [{ after_minutes: 60, recipients: ['b@example.com', 'c@example.com'] }],
  });
  expect((await placard('rules')).stdout).toContain('60:b@example.com+c@example.com');
  await placard('delete-rule', json.id);
});

test('a cloud that knows neither opening hours nor escalations is sent none, and its rules are shown', async () => {
  const rule = {
    id: 'arule_1',
    name: 'Old',
    condition: { type: 'offline', minutes: 5 },
    filter: {},
    is_active: true,
    recipients: [],
    language: 'en',
    created_at: '2026-11-20T08:00:00.000Z',
    updated_at: '2026-11-20T08:00:00.000Z',
  };
  const older = await startRecordingServer(({ method }, response) => {
    const isList = method === 'GET';
    response.writeHead(isList ? 200 : 201, { 'content-type': 'application/json' });
    const answer = isList ? { data: [rule], meta: { next_cursor: null, limit: 100 } } : { data: rule };
    response.end(JSON.stringify({ success: true, ...answer }));
  });
  onTestFinished(() => older.close());
  const env = { PLACARD_SERVER: older.url };
  const added = await runPlacard(cloud, ['alerts', 'add-rule', 'Old', '--offline', '5'], { env });
  expect(added.code, added.stderr).toBe(0);
  expect(JSON.parse(older.requests.at(-1)?.body ?? '')).toEqual({
    name: 'Old',
    condition: rule.condition,
    filter: {},
    recipients: [],
    language: 'en',
  });
  const shown = await runPlacard(cloud, ['alerts', 'rules'], { env });
  expect(shown.stdout).toContain('offline for 5 min');
});

test('a rule has opening hours, and screens are muted until a time', async () => {
  const hours = ['--hours', 'MON-WED 09:00-20:00', '--hours', 'SUN 22:00-02:00'];
  const { json } = await placard('add-rule', 'Open', '--offline', '5', ...hours, '--json');
  expect(json.opening_hours).toEqual([
    { days: ['MON', 'TUE', 'WED'], start_time: '09:00', end_time: '20:00' },
    { days: ['SUN'], start_time: '22:00', end_time: '02:00' },
  ]);
  expect((await placard('rules')).stdout).toContain('MON+TUE+WED 09:00-20:00, SUN 22:00-02:00');
  await placard('delete-rule', json.id);

  const { data: store } = await cloud.admin.post('/v1/stores', { name: 'Bonn' });
  const until = new Date(cloud.clock.nowMs() + 3_600_000).toISOString();
  const muted = await placard('mute', 'store:Bonn', '--until', until, '--reason', 'Wiring', '--json');
  expect(muted.json).toMatchObject({ target: { type: 'store', id: store.id }, until, reason: 'Wiring' });
  expect((await placard('mutes')).stdout).toContain(`store:${store.id}`);
  expect((await placard('unmute', muted.json.id)).code).toBe(0);
  expect((await placard('mutes')).stdout).toContain('None.');
});

test('a rule is changed by name, and what is not given stays', async () => {
  const { data: store } = await cloud.admin.post('/v1/stores', { name: 'Trier' });
  const options = [
    '--store',
    'Trier',
    '--tag',
    'door',
    '--mail',
    'a@example.com',
    '--hours',
    'MON 09:00-20:00',
  ];
  const added = await placard('add-rule', 'Heat', '--hot', '80', '--for', '5', ...options, '--json');
  const { id, created_at } = added.json;
  const change = async (...args: string[]) => {
    const { json, code, stderr } = await placard('set-rule', 'heat', ...args, '--json');
    expect(code, stderr).toBe(0);
    return json[0];
  };
  expect(await change('--hot', '85')).toMatchObject({
    id,
    created_at,
    name: 'Heat',
    condition: { type: 'hot', celsius: 85, minutes: 5 },
    filter: { store_id: store.id, tag: 'door' },
    recipients: ['a@example.com'],
    opening_hours: [{ days: ['MON'] }],
    language: 'en',
  });
  expect(await change('--for', '10', '--tag', 'window', '--language', 'de')).toMatchObject({
    condition: { type: 'hot', celsius: 85, minutes: 10 },
    filter: { store_id: store.id, tag: 'window' },
    language: 'de',
  });
  expect(await change('--store', 'none', '--mail', 'b@example.com,c@example.com')).toMatchObject({
    filter: { tag: 'window' },
    recipients: ['b@example.com', 'c@example.com'],
  });
  expect((await change('--store', 'none')).filter).toEqual({ tag: 'window' });
  expect(await change('--escalate', '60:d@example.com', '--hours', 'SUN 10:00-18:00')).toMatchObject({
    escalations: [{ after_minutes: 60, recipients: ['d@example.com'] }],
    opening_hours: [{ days: ['SUN'] }],
  });
  const nothing = ['hours', 'tag', 'mail', 'escalate'].flatMap((each) => [`--${each}`, 'none']);
  expect(await change(...nothing)).toMatchObject({ recipients: [], escalations: [], opening_hours: null });
  const behind = await change('--behind', '3', '--name', 'Behind');
  expect(behind).toMatchObject({ name: 'Behind', filter: {}, condition: { type: 'behind', minutes: 3 } });
  expect((await placard('rules')).stdout).toContain('behind for 3 min');
  await placard('delete-rule', 'Behind');
});

test('a rule is switched off and on again', async () => {
  const { json } = await placard('add-rule', 'Switched', '--offline', '5', '--json');
  expect((await placard('deactivate-rule', 'Switched')).stdout).toBe('The rule "Switched" is inactive.\n');
  expect((await cloud.admin.get(`/v1/alert-rules/${json.id}`)).data.is_active).toBe(false);
  expect((await placard('activate-rule', json.id)).stdout).toBe('The rule "Switched" is active.\n');
  expect((await cloud.admin.get(`/v1/alert-rules/${json.id}`)).data.is_active).toBe(true);
  const near = await placard('deactivate-rule', 'Switch');
  expect([near.code, near.stderr]).toEqual([4, expect.stringContaining('Did you mean "Switched"?')]);
  await placard('delete-rule', 'Switched');
});

test.each([
  [['set-rule', 'arule_1'], 'What is to change?'],
  [['add-rule', 'Minutes', '--for', '5'], 'Exactly one of'],
  [['add-rule', 'None'], 'Exactly one of'],
  [['add-rule', 'Two', '--offline', '5', '--behind', '5'], 'Exactly one of'],
  [['add-rule', 'Text', '--offline', 'long'], '"long" is no whole number'],
  [['add-rule', 'Unit', '--disk-below', '10'], '500MB or 10%'],
  [['add-rule', 'Days', '--offline', '5', '--hours', 'SAT-MON 09:00-20:00'], 'MON-SAT 09:00-20:00'],
  [['add-rule', 'Late', '--offline', '5', '--escalate', 'a@example.com'], 'is no escalation'],
  [['mute', 'tag:window', '--until', '2026-11-20T18:00:00Z'], 'A tag cannot be muted'],
  [['add-rule', 'Words', '--offline', '5', '--language', 'xx'], 'A language is en, de'],
])('wrong arguments are refused: %s', async (args, message) => {
  const { code, stderr } = await placard(...args);
  expect([code, stderr]).toEqual([2, expect.stringContaining(message)]);
});
