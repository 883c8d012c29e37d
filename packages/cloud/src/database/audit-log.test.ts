import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openTestDb } from '../../test/support/open-test-database.ts';
import { auditRepository } from './audit-log.ts';

/** A time beyond 32 bits. */
const NOW = Date.UTC(2026, 0, 1);
const all = { page: 1, limit: 100 };
const entryOf = (id: string, atMs: number) => ({
  id,
  created_at: atMs,
  actor_type: 'api_key',
  actor_id: 'key_1',
  actor_name: 'Till',
  address: null,
  request_id: null,
  action: 'device.updated',
  resource_type: 'device',
  resource_id: 'dev_1',
  resource_name: null,
  changes: [],
});

test('the audit log can only grow, until the retention is over', async () => {
  const db = await openTestDb();
  const audit = auditRepository(db);
  await audit.append(entryOf('aud_1', NOW));
  await audit.append(entryOf('aud_2', NOW + 1));
  const refused = 'the audit log is append-only';
  await expect(sql`update audit_log set actor_name = 'x'`.execute(db)).rejects.toThrow(refused);
  await expect(sql`delete from audit_log where id = 'aud_1'`.execute(db)).rejects.toThrow(refused);
  await expect(sql`delete from audit_retention`.execute(db)).rejects.toThrow(refused);
  for (let n = 0; n < 250; n++) {
    await audit.append(entryOf(`old_${n}`, NOW - 1));
  }
  const deleteBatch = () => db.transaction().execute((trx) => auditRepository(trx).deleteBatch(NOW + 1));
  expect(await deleteBatch(), 'some of them').toBe(true);
  expect((await audit.list(all)).total).toBe(52);
  expect(await deleteBatch()).toBe(false);
  await expect(sql`update audit_retention set delete_before = 0`.execute(db)).rejects.toThrow(refused);
  const filter = { actor_id: 'key_1', action: 'device.updated', fromMs: NOW, toMs: NOW + 2 };
  expect(await audit.list({ ...all, ...filter })).toMatchObject({ rows: [{ id: 'aud_2' }], total: 1 });
});
