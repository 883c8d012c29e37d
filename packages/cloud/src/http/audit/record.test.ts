import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { createZoneTables } from '../../domain/zone-table.ts';
import { openDatabase } from '../../store/database.ts';
import { createStore } from '../../store/store.ts';
import { createRecorder } from './record.ts';

test('a key that changes more in a day than is kept still has an entry for each, with the fields alone', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'placard-record-'));
  const store = createStore({
    db: await openDatabase(folder),
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
  await store.stores.insert({ id: 'store_1', name: '', tags: '[]', created_at: 0, updated_at: 0 });
  const recorded = createRecorder(3000);
  let number = 0;
  const rename = async (keyId: string, nowMs = 0) => {
    number += 1;
    const name = `${number}`.padEnd(900, 'x');
    await store.transaction(
      recorded(
        async (work) => {
          await work.stores.update('store_1', { name });
          return { data: { id: 'store_1' } };
        },
        {
          operation: { id: 'updateStore' },
          caller: { key: { id: keyId, name: keyId, scope: 'Write' }, deviceId: null },
          request: { params: { id: 'store_1' }, ip: '192.0.2.1', id: 'req' },
          nowMs,
          newId: (kind) => `${kind}_${number}`,
        },
      ),
    );
    const entry = await store.audit.list({ page: 1, limit: 100, resourceId: 'store_1' });
    const [change] = JSON.parse(entry.rows.find(({ id }) => id === `audit_${number}`)?.changes ?? '[]');
    return change;
  };
  expect(await rename('a')).toMatchObject({ field: 'name', truncated: false });
  expect(await rename('a')).toMatchObject({ field: 'name', after: expect.stringMatching(/^2x+$/) });
  expect(await rename('a')).toEqual({ field: 'name', before: null, after: null, truncated: true });
  expect(await rename('b'), 'another key').toMatchObject({ truncated: false });
  expect(await rename('a', 86_400_000), 'the next day').toMatchObject({ truncated: false });
});
