import { isForCustomers, operations } from '@placard/protocol/api';
import type { AuditEntry, Operation } from '@placard/protocol/api';
import { sql } from 'kysely';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { AUDITED_OPERATIONS } from '../src/http/audit/audited-operations.ts';
import { eventually } from '../../../test/support/eventually.ts';
import { engineOf } from '../src/database/engine/engine-of.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';
import { runCommand } from './support/command-line.ts';
import { png } from './support/media.ts';
import { pairDevice, startPairing } from './support/paired-device.ts';

let cloud: TestCloud;
beforeAll(async () => {
  cloud = await startTestCloud();
});
afterAll(() => cloud.close());

const entries = async (query = ''): Promise<AuditEntry[]> =>
  (await cloud.admin.get(`/v1/audit-log?limit=100${query}`)).data;
const latest = async (): Promise<AuditEntry | undefined> => (await entries())[0];
/** The changes of an entry, as `field: [before, after]`. */
const changesByField = (entry: AuditEntry | undefined) =>
  Object.fromEntries((entry?.changes ?? []).map(({ field, before, after }) => [field, [before, after]]));

/** An upload changes nothing before its end, which is audited as that of `appendUpload`. */
const UNFINISHED = ['createUpload', 'deleteUpload'];

test('every operation that changes something is audited', () => {
  const ALL: readonly Operation[] = Object.values(operations);
  const changing = ALL.filter(
    (each) => each.method !== 'GET' && isForCustomers(each) && !UNFINISHED.includes(each.id),
  );
  expect(changing.map(({ id }) => id).toSorted()).toEqual(Object.keys(AUDITED_OPERATIONS).toSorted());
});

test('an entry contains actor, address, action, names beside ids, and values before and after', async () => {
  const made = await cloud.admin.post('/v1/api-keys', { name: 'Menu sync', scope: 'Write' });
  const writer = cloud.clientFor(made.data.key);
  const store = (await writer.post('/v1/stores', { name: 'North', city: 'Kiel' })).data;
  expect(await latest()).toMatchObject({
    actor: { type: 'api_key', id: made.data.id, name: 'Menu sync' },
    address: '127.0.0.1',
    action: 'store.created',
    resource: { type: 'store', id: store.id, name: 'North' },
    created_at: store.created_at,
  });
  await writer.call(
    'PATCH',
    `/v1/stores/${store.id}`,
    { name: 'South', city: 'Kiel' },
    { 'x-request-id': 'req-1' },
  );
  const changed = await latest();
  expect(changed).toMatchObject({
    action: 'store.updated',
    request_id: 'req-1',
    resource: { id: store.id, name: 'South' },
    changes: [{ field: 'name', before: 'North', after: 'South', truncated: false }],
  });
  await cloud.admin.delete(`/v1/stores/${store.id}`);
  const gone = await latest();
  expect(gone).toMatchObject({ action: 'store.deleted', resource: { name: 'South' } });
  expect(changesByField(gone)).toMatchObject({ name: ['South', null], city: ['Kiel', null] });
});

test('requests without a change, rejected requests, reads and repeated requests are not logged', async () => {
  const store = (await cloud.admin.post('/v1/stores', { name: 'Same' })).data;
  const before = (await entries()).length;
  await cloud.admin.patch(`/v1/stores/${store.id}`, { name: 'Same' });
  await cloud.admin.patch(`/v1/stores/${store.id}`, { nome: 'x' });
  await cloud.admin.patch('/v1/stores/store_none', { name: 'x' });
  await cloud.clientFor('wrong-key-wrong-key').get('/v1/stores');
  await startPairing(cloud);
  expect(await entries()).toHaveLength(before);
  for (let n = 0; n < 2; n++) {
    await cloud.admin.post('/v1/stores', { name: 'Once' }, { 'idempotency-key': 'once' });
  }
  expect(await entries()).toHaveLength(before + 1);
});

test('entries of playlists, schedules and devices contain the names of referenced resources', async () => {
  const screen = await pairDevice(cloud, { name: 'Window' });
  expect(await latest()).toMatchObject({
    action: 'device.paired',
    resource: { id: screen.deviceId, name: 'Window' },
  });
  const asset = (await cloud.admin.upload(await png(1), 'soup.png')).data;
  const playlist = (
    await cloud.admin.post('/v1/playlists', { name: 'Lunch', items: [{ content_id: asset.id }] })
  ).data;
  expect(changesByField(await latest())['items']).toEqual([
    null,
    [{ content: { id: asset.id, name: 'soup.png' }, duration: 10, weight: null }],
  ]);
  await cloud.admin.post('/v1/schedules', {
    name: 'Noon',
    rules: [{ playlist_id: playlist.id, start_time: '11:00', end_time: '14:00', days: ['MON'] }],
    targets: [{ type: 'device', id: screen.deviceId }],
  });
  expect(changesByField(await latest())).toMatchObject({
    targets: [null, [{ type: 'device', id: screen.deviceId, name: 'Window' }]],
    rules: [null, [{ playlist: { id: playlist.id, name: 'Lunch' } }]],
  });
  const targets = [{ type: 'device', id: screen.deviceId }];
  await cloud.admin.post(`/v1/playlists/${playlist.id}/deploy`, { targets });
  expect(changesByField(await latest())).toEqual({
    targets: [null, [{ type: 'device', id: screen.deviceId, name: 'Window' }]],
    device_count: [null, 1],
  });
  await cloud.admin.post(`/v1/devices/${screen.deviceId}/commands`, { command: 'REFRESH' });
  expect(await latest()).toMatchObject({ action: 'device.command_sent', resource: { name: 'Window' } });
  expect(changesByField(await latest())['command']).toEqual([null, 'REFRESH']);
});

test('no secret is logged, only that it changed', async () => {
  const screen = await pairDevice(cloud);
  const pinned = { configuration: { menu_pin: '4711' } };
  await cloud.admin.patch(`/v1/devices/${screen.deviceId}`, pinned);
  expect(changesByField(await latest())['menu_pin']).toEqual([null, '(hidden)']);
  await cloud.admin.patch(`/v1/devices/${screen.deviceId}`, { configuration: { menu_pin: '4712' } });
  expect(changesByField(await latest())['menu_pin']).toEqual(['(hidden)', '(hidden)']);
  const url = 'https://hooks.example.com/services/T0/very-secret';
  const webhook = (await cloud.admin.post('/v1/webhooks', { url, events: ['device.online'] })).data;
  expect(changesByField(await latest())).toMatchObject({ url: [null, 'https://hooks.example.com/…'] });
  const rotated = (await cloud.admin.post(`/v1/webhooks/${webhook.id}/rotate-secret`)).data;
  expect(await latest()).toMatchObject({ action: 'webhook.secret_rotated' });
  const key = (await cloud.admin.post('/v1/api-keys', { name: 'K', scope: 'Read' })).data;
  const everything = JSON.stringify(await entries());
  for (const secret of ['very-secret', 'scrypt', webhook.secret, rotated.secret, key.key, screen.token]) {
    expect(everything).not.toContain(secret);
  }
});

test('large values are truncated and marked as such', async () => {
  const tags = Array.from({ length: 100 }, (_, n) => `${n}`.padEnd(100, 'x'));
  const store = (await cloud.admin.post('/v1/stores', { name: 'Large', tags })).data;
  const entry = await latest();
  expect(entry?.resource.id).toBe(store.id);
  expect(entry?.changes.find(({ field }) => field === 'tags')).toMatchObject({ truncated: true });
  expect(JSON.stringify(entry).length).toBeLessThan(6000);
});

test('entries can be filtered by resource, actor, action and time', async () => {
  const key = (await cloud.admin.post('/v1/api-keys', { name: 'Finder', scope: 'Write' })).data;
  const store = (await cloud.clientFor(key.key).post('/v1/stores', { name: 'Found' })).data;
  cloud.clock.advance(60_000);
  const later = new Date(cloud.clock.nowMs()).toISOString();
  await cloud.admin.patch(`/v1/stores/${store.id}`, { name: 'Found again' });
  const actions = async (query: string) => (await entries(query)).map(({ action }) => action);
  expect(await actions(`&resource_id=${store.id}`)).toEqual(['store.updated', 'store.created']);
  expect(await actions(`&actor_id=${key.id}`)).toEqual(['store.created']);
  expect(await actions(`&resource_id=${store.id}&action=store.updated`)).toEqual(['store.updated']);
  expect(await actions(`&resource_id=${store.id}&from=${later}`)).toEqual(['store.updated']);
  expect(await actions(`&resource_id=${store.id}&to=${later}`)).toEqual(['store.created']);
  expect(new Set((await entries('&resource_type=api_key')).map(({ resource }) => resource.type))).toEqual(
    new Set(['api_key']),
  );
  expect((await cloud.clientFor(key.key).get('/v1/audit-log')).error?.code).toBe('INSUFFICIENT_SCOPE');
});

test('changes on the command line and the first key are logged too', async () => {
  const made = await runCommand('keys', 'create', '--scope', 'Read', '--name', 'Wall', ...cloud.flags);
  expect(made.code).toBe(0);
  // The command line uses the system clock, not the clock of the test.
  const [created] = await entries('&action=api_key.created&resource_type=api_key');
  expect(created).toMatchObject({
    actor: { type: 'command_line', name: 'command line' },
    address: null,
    resource: { name: 'Wall' },
  });
  expect(JSON.stringify(created)).not.toContain(made.stdout.trim());
  await runCommand('keys', 'revoke', created?.resource.id ?? '', ...cloud.flags);
  expect((await entries('&action=api_key.revoked'))[0]).toMatchObject({
    actor: { type: 'command_line' },
    resource: { name: 'Wall' },
  });
  expect((await entries('&action=api_key.created')).at(-1)).toMatchObject({
    actor: { type: 'system', name: 'first start' },
    resource: { name: 'First Admin key' },
  });
});

test('no SQL can change an entry or delete one before it expires', async () => {
  const before = await entries();
  await cloud.inDatabase(async (db) => {
    const replace = {
      sqlite: 'insert or replace into audit_log select * from audit_log',
      postgres: `insert into audit_log select * from audit_log on conflict (id) do update set actor_name = 'nobody'`,
    };
    for (const attempt of [
      "update audit_log set actor_name = 'nobody'",
      'delete from audit_log',
      replace[engineOf(db).name],
      'delete from audit_retention',
    ]) {
      await expect(sql.raw(attempt).execute(db), attempt).rejects.toThrow('append-only');
    }
  });
  expect(await entries()).toEqual(before);
});

test('entries are kept for a year, or for the configured time', async () => {
  const short = await startTestCloud({ retention: { auditDays: 2 } });
  try {
    await short.admin.post('/v1/stores', { name: 'Old' });
    short.clock.advance(47 * 3_600_000);
    await short.admin.post('/v1/stores', { name: 'New' });
    const names = async () =>
      (await short.admin.get('/v1/audit-log?action=store.created')).data.map(
        ({ resource }: AuditEntry) => resource.name,
      );
    expect(await names()).toEqual(['New', 'Old']);
    await eventually(async () => {
      // The job runs every hour, unless it still runs.
      short.clock.advance(3_600_000);
      expect(await names()).toEqual(['New']);
    });
  } finally {
    await short.close();
  }
});
