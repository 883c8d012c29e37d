import { expect, test } from 'vitest';
import { openTestDatabase } from '../../../test/support/open-test-database.ts';
import { createAuditRecorder } from './audit-recorder.ts';

test('beyond the daily quota of a key, audit entries name the changed fields without their values', async () => {
  const database = await openTestDatabase();
  await database.stores.insert({ id: 'store_1', name: '', tags: '[]', created_at: 0, updated_at: 0 });
  const recorder = createAuditRecorder(3000);
  let number = 0;
  const rename = async (keyId: string, nowMs = 0) => {
    number += 1;
    const name = `${number}`.padEnd(900, 'x');
    await database.transaction(
      recorder(
        async (tx) => {
          await tx.stores.update('store_1', { name });
          return { data: { id: 'store_1' } };
        },
        {
          operation: { id: 'updateStore' },
          caller: {
            actor: { type: 'api_key', id: keyId, name: keyId, scope: 'Write', stores: null, session: null },
            deviceId: null,
            secret: null,
          },
          request: { params: { id: 'store_1' }, ip: '192.0.2.1', id: 'req' },
          nowMs,
          newId: (kind) => `${kind}_${number}`,
        },
      ),
    );
    const entry = await database.audit.list({ page: 1, limit: 100, resource_id: 'store_1' });
    const [change] = JSON.parse(entry.rows.find(({ id }) => id === `audit_${number}`)?.changes ?? '[]');
    return change;
  };
  expect(await rename('a')).toMatchObject({ field: 'name', truncated: false });
  expect(await rename('a')).toMatchObject({ field: 'name', after: expect.stringMatching(/^2x+$/) });
  expect(await rename('a')).toEqual({ field: 'name', before: null, after: null, truncated: true });
  expect(await rename('b'), 'another key').toMatchObject({ truncated: false });
  expect(await rename('a', 86_400_000), 'the next day').toMatchObject({ truncated: false });
});
