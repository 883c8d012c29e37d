import { pino } from 'pino';
import { expect, test } from 'vitest';
import { insertDevice } from '../../test/support/insert-device.ts';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { openTestDatabase, openTestStorage } from '../../test/support/open-test-database.ts';
import { storageFullError } from '../domain/storage-failure.ts';
import { createOfflineNotices } from './presence-notices.ts';

const NOW = 1_000_000;

test('a device of which cannot be told is logged, and those behind it are told', async () => {
  const storage = await openTestStorage();
  const { db } = storage;
  const clock = createManualClock(NOW);
  let ids = 0;
  const database = await openTestDatabase({ storage, clock, newId: (kind) => `${kind}_${++ids}` });
  const damaged = Array.from({ length: 30 }, (_, n) => `dev_${n}`);
  const sound = Array.from({ length: 30 }, (_, n) => `dev_${30 + n}`);
  for (const id of [...damaged, ...sound]) {
    await insertDevice(db, id, { status: 'offline', told_status: 'online' });
  }
  // No date is so late.
  await db.updateTable('devices').set({ created_at: 9e15 }).where('id', 'in', damaged).execute();
  const logged: { device_id: string; msg: string }[] = [];
  let failure: Error | null = null;
  const tell = createOfflineNotices({
    database: {
      ...database,
      transaction: (run, options) => (failure ? Promise.reject(failure) : database.transaction(run, options)),
    },
    clock,
    log: pino({ base: null }, { write: (line) => void logged.push(JSON.parse(line)) }),
    isLeader: () => true,
  });
  const told = async () =>
    (await db.selectFrom('events').select(['type', 'resource']).execute()).map(
      ({ type, resource }) => `${type} ${resource}`,
    );
  failure = storageFullError('full');
  await expect(tell(), 'a failure of the storage is not one of a device').rejects.toBe(failure);
  expect(logged).toEqual([]);
  failure = null;
  await tell();
  expect((await told()).toSorted()).toEqual(sound.map((id) => `device.offline ${id}`));
  expect(logged.map(({ device_id, msg }) => `${msg} ${device_id}`).toSorted()).toEqual(
    damaged.map((id) => `presence.notice_failed ${id}`).toSorted(),
  );
  clock.advance(60_000);
  await tell();
  expect(logged, 'they are not tried with each sweep').toHaveLength(damaged.length);

  await db.updateTable('devices').set({ created_at: 0 }).execute();
  clock.advance(3_600_000);
  await tell();
  expect(await told()).toHaveLength(damaged.length + sound.length);
});
