import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import { createZoneTables } from '../domain/zone-table.ts';
import { openDatabase } from './database.ts';
import { createStore } from './store.ts';

async function openStore() {
  const folder = await mkdtemp(join(tmpdir(), 'placard-store-'));
  const db = await openDatabase(folder);
  const store = createStore({
    db,
    clock: { nowMs: () => 0, setTimer: () => () => {} },
    newId: (kind) => kind,
    hash: (text) => text,
    assetUrl: () => '',
    mediaHosts: () => [],
    zones: createZoneTables('unknown'),
    publish: () => {},
    disk: { requireRoom: () => {}, noteFull: () => {}, release: () => false },
  });
  onTestFinished(async () => {
    await store.close();
    await rm(folder, { recursive: true, force: true });
  });
  return store;
}

test('others have their turn between two of many changes', async () => {
  const store = await openStore();
  let done = 0;
  const changes = Array.from({ length: 100 }, () =>
    store.transaction(async (work) => {
      await work.apiKeys.count();
      done += 1;
    }),
  );
  await setImmediate();
  await store.apiKeys.count();
  expect(done).toBeLessThan(10);
  await Promise.all(changes);
  expect(done).toBe(100);
});

test('a change that fails keeps none of those after it from being made', async () => {
  const store = await openStore();
  const failed = store.transaction(() => Promise.reject(new Error('no')));
  const next = store.transaction((work) => work.apiKeys.count());
  await expect(failed).rejects.toThrow('no');
  expect(await next).toBe(0);
});
