import { expect, test } from 'vitest';
import { openTestStore } from '../../../test/support/open-store.ts';
import { createRecorder } from './record.ts';

test('a key that changes more in a day than is kept still has an entry for each, with the fields alone', async () => {
  const store = await openTestStore();
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
