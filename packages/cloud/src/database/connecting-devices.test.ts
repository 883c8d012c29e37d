import { expect, test } from 'vitest';
import { insertDevice } from '../../test/support/insert-device.ts';
import { openTestStorage } from '../../test/support/open-test-database.ts';
import { commandRepository } from './commands.ts';
import { deviceRepository } from './devices.ts';

test('a device has pending commands exactly when some would be delivered', async () => {
  const { db, connecting } = await openTestStorage();
  const commands = commandRepository(db);
  await insertDevice(db, 'dev_1');
  await insertDevice(db, 'dev_2');
  expect(await connecting.hasPendingCommands('dev_1', 0)).toBe(false);
  const times = { created_at: 0, delivered_at: null, acknowledged_at: null, finished_at: null };
  await commands.insert({
    id: 'cmd_1',
    device_id: 'dev_1',
    command: 'REFRESH',
    status: 'queued',
    expires_at: 1000,
    result: null,
    ...times,
  });
  for (const status of ['queued', 'delivered', 'acknowledged', 'succeeded', 'failed', 'expired'] as const) {
    await commands.update('cmd_1', { status });
    for (const nowMs of [0, 999, 1000, 1001]) {
      const isPending = (await commands.listPending('dev_1', nowMs)).length > 0;
      expect(await connecting.hasPendingCommands('dev_1', nowMs), `${status} at ${nowMs}`).toBe(isPending);
    }
  }
  await commands.update('cmd_1', { status: 'queued' });
  expect(await connecting.hasPendingCommands('dev_1', 0)).toBe(true);
  expect(await connecting.hasPendingCommands('dev_2', 0)).toBe(false);
});

test('the presence of a device is that of the last commit, also while a transaction is open', async () => {
  const { db, connecting } = await openTestStorage();
  const { number } = await insertDevice(db, 'dev_1', { player_version: '1' });
  const before = { number, status: 'offline', told_status: 'offline', player_version: '1', last_seen: null };
  expect(await connecting.findPresence('dev_1')).toEqual(before);
  await db.transaction().execute(async (trx) => {
    await deviceRepository(trx).setStatus({ id: 'dev_1', number }, 'online');
    await deviceRepository(trx).updateLive(number, { last_seen: 7 });
    expect(await connecting.findPresence('dev_1')).toEqual(before);
  });
  expect(await connecting.findPresence('dev_1')).toEqual({ ...before, status: 'online', last_seen: 7 });
  expect(await connecting.findPresence('dev_2')).toBeUndefined();
});

test('devices that are online are seen, at the latest time that was given; the others are returned', async () => {
  const storage = await openTestStorage();
  const { db } = storage;
  const online = await insertDevice(db, 'dev_1', { status: 'online' });
  const offline = await insertDevice(db, 'dev_2', { status: 'offline' });
  const record = (...seen: { number: number; seenMs: number }[]) => storage.recordSeen(seen);
  const seenMs = async (id: string) => (await deviceRepository(db).findRow(id))?.last_seen;
  expect(await record({ number: online.number, seenMs: 7 }, { number: offline.number, seenMs: 8 })).toEqual([
    { number: offline.number, seenMs: 8 },
  ]);
  expect(await seenMs('dev_1')).toBe(7);
  expect(await seenMs('dev_2')).toBeNull();
  expect(await record({ number: online.number, seenMs: 6 })).toEqual([]);
  expect(await seenMs('dev_1')).toBe(7);
});

test('a device is read alone as it is among others', async () => {
  const { db, connecting } = await openTestStorage();
  const devices = deviceRepository(db);
  await insertDevice(db, 'dev_1', { menu_pin_hash: 'hash', orientation: 'portrait' });
  await devices.setTags('dev_1', ['b "quoted"', 'a']);
  await insertDevice(db, 'dev_2');
  expect(await connecting.findManifestDevices(['dev_1', 'dev_3', 'dev_2'])).toEqual(
    await devices.findManifestDevices(['dev_1', 'dev_2']),
  );
});
