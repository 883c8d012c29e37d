import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { insertDevice } from '../../test/support/insert-device.ts';
import { openTestDatabase, openTestStorage } from '../../test/support/open-test-database.ts';
import { databaseUnavailableError } from '../domain/storage-failure.ts';

test('reads run between two of many transactions', async () => {
  const database = await openTestDatabase();
  let done = 0;
  const changes = Array.from({ length: 100 }, () =>
    database.transaction(async (tx) => {
      await tx.apiKeys.count();
      done += 1;
    }),
  );
  await setImmediate();
  await database.apiKeys.count();
  // How many were done in the meantime depends on the machine.
  expect(done).toBeLessThan(100);
  await Promise.all(changes);
  expect(done).toBe(100);
});

test('a failed transaction does not block later ones', async () => {
  const database = await openTestDatabase();
  const failed = database.transaction(() => Promise.reject(new Error('no')));
  const next = database.transaction((tx) => tx.apiKeys.count());
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe(0);
});

test('other callers and the system wait for at most one transaction of a caller with many', async () => {
  const database = await openTestDatabase();
  const done: string[] = [];
  const change = (name: string, owner?: string) =>
    database.transaction(
      async (tx) => {
        await tx.apiKeys.count();
        done.push(name);
      },
      owner === undefined ? {} : { owner },
    );
  const manyChanges = Array.from({ length: 30 }, () => change('many', 'key a'));
  await Promise.all([change('other', 'key b'), change('system'), ...manyChanges]);
  expect(done.slice(0, 4)).toEqual(['many', 'other', 'system', 'many']);
  expect(done).toHaveLength(32);
});

test('manifests are read again after a transaction of which it is not known whether it was committed', async () => {
  const storage = await openTestStorage();
  let isAnswerLost = false;
  const database = await openTestDatabase({
    storage: {
      ...storage,
      async transaction(run, options) {
        const result = await storage.transaction(run, options);
        if (isAnswerLost) {
          throw databaseUnavailableError('Connection terminated unexpectedly', null);
        }
        return result;
      },
    },
  });
  await database.transaction((tx) => tx.organization.create('Shop', 0));
  await insertDevice(storage.db, 'dev_1');
  const before = await database.manifestRevisionOf('dev_1');
  isAnswerLost = true;
  const change = database.transaction(async (tx) => {
    await tx.organization.update({ timezone: 'Europe/Berlin' }, 1);
    await tx.devices.update('dev_1', { name: 'Another' });
    tx.invalidateManifests('settings');
    tx.invalidateManifests({ deviceId: 'dev_1' });
  });
  await expect(change).rejects.toThrow('Connection terminated');
  expect(await database.manifestRevisionOf('dev_1')).not.toBe(before);
  expect((await database.manifestBuilder()).content.settings.timezone).toBe('Europe/Berlin');
});
