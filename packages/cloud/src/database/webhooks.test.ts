import { sql } from 'kysely';
import { beforeEach, expect, test } from 'vitest';
import { openTestDb } from '../../test/support/open-test-database.ts';
import type { Db } from './db.ts';
import { webhookRepository } from './webhooks.ts';

let db: Db;
beforeEach(async () => {
  db = await openTestDb();
  for (const id of ['whk_1', 'whk_2']) {
    await webhookRepository(db).insert({
      id,
      url: 'https://example.com/hook',
      events: '["playlist.updated"]',
      is_active: 1,
      secret: 'whsec_x',
      created_at: 0,
      updated_at: 0,
    });
  }
});

let number = 0;
const deliveryInput = (webhookId: string, resource: string, text = '') => ({
  id: `dlv_${String(++number).padStart(6, '0')}`,
  webhookId,
  event: {
    id: `evt_${number}`,
    type: 'playlist.updated',
    resource,
    data: { playlist: { id: resource, text } },
    created_at: 0,
  },
});
const list = async (webhooks: ReturnType<typeof webhookRepository>, webhookId = 'whk_1') =>
  (await webhooks.listDeliveries(webhookId, { page: 1, limit: 100 })).rows.map((row) => ({
    ...row,
    payload: JSON.parse(row.payload),
  }));

test('the next due delivery is found quickly among many pending ones', async () => {
  const webhooks = webhookRepository(db);
  // The first delivery about each of 5,000 resources is due later and holds back another one.
  await sql`with recursive n(i) as (select 0 union all select i + 1 from n where i < 9999)
    insert into webhook_deliveries (id, webhook_id, seq, event_type, resource, payload, status, attempts,
      next_attempt_at, created_at)
    select 'd' || i, 'whk_1', i + 1, 'playlist.updated', 'pl_' || (i % 5000), '{}', 'pending', 0,
      case when i < 5000 then 5000 else 10 end, 10 from n`.execute(db);
  const startedUs = process.threadCpuUsage().user;
  expect(await webhooks.nextDue('whk_1', 1000)).toBeUndefined();
  expect((process.threadCpuUsage().user - startedUs) / 1000, 'ms').toBeLessThan(500);
  expect(await webhooks.nextDue('whk_1', 5000)).toMatchObject({ id: 'd0' });
  await webhooks.updateDelivery('d7', { status: 'succeeded', next_attempt_at: null, finished_at: 1 });
  expect(await webhooks.nextDue('whk_1', 1000)).toMatchObject({ id: 'd5007' });
  expect(await webhooks.listIdsWithDueDeliveries(9)).toEqual([]);
  expect(await webhooks.listIdsWithDueDeliveries(10)).toEqual(['whk_1']);
});

test.each([
  ['many', { maxCount: 2, maxBytes: 1_000_000 }],
  ['large', { maxCount: 10, maxBytes: 7_000 }],
])('with too %s pending deliveries a new one is stored as failed, with ids only', async (_, limits) => {
  const webhooks = webhookRepository(db, limits);
  for (let n = 0; n < 2; n++) {
    await webhooks.insertDelivery(deliveryInput('whk_1', 'pl_a', 'x'.repeat(3000)), 1000);
  }
  await webhooks.insertDelivery(deliveryInput('whk_1', 'pl_b', 'x'.repeat(3000)), 2000);
  await webhooks.insertDelivery(deliveryInput('whk_2', 'pl_b', 'x'.repeat(3000)), 2000);
  expect(await list(webhooks)).toMatchObject([
    {
      status: 'failed',
      attempts: 0,
      next_attempt_at: null,
      finished_at: 2000,
      error: expect.stringMatching(/^Not sent: .* are pending for this webhook\. Make its receiver respond/),
      payload: { type: 'playlist.updated', data: { playlist: { id: 'pl_b' } } },
    },
    { status: 'pending' },
    { status: 'pending' },
  ]);
  expect(JSON.stringify((await list(webhooks))[0])).not.toContain('xxx');
  // Other webhooks are not affected.
  expect(await list(webhooks, 'whk_2')).toMatchObject([{ status: 'pending' }]);
});

test('what a node that was replaced reports late does not undo what another one has stored', async () => {
  const webhooks = webhookRepository(db);
  const { id } = await webhooks.insertDelivery(deliveryInput('whk_1', 'pl_a'), 0);
  const read = (await webhooks.findDelivery(id))!;
  const succeeded = { status: 'succeeded', next_attempt_at: null, finished_at: 1 } as const;
  const failed = { status: 'pending', next_attempt_at: 5_000, error: 'no response' } as const;
  expect(await webhooks.recordAttempt(read, failed)).toBe(true);
  expect(await webhooks.recordAttempt(read, failed), 'read before the first attempt').toBe(false);
  expect(await webhooks.recordAttempt((await webhooks.findDelivery(id))!, succeeded)).toBe(true);
  expect(await webhooks.recordAttempt({ id, attempts: 2 }, failed), 'finished').toBe(false);
  expect(await webhooks.findDelivery(id)).toMatchObject({ status: 'succeeded', attempts: 2 });
});

test('finished deliveries are limited by number, bytes and age; pending ones are kept', async () => {
  const webhooks = webhookRepository(db, { maxCount: 5, maxBytes: 8_000 });
  const waiting = await webhooks.insertDelivery(deliveryInput('whk_1', 'pl_z'), 0);
  const add = async (atMs: number, text = '') => {
    const { id } = await webhooks.insertDelivery(deliveryInput('whk_1', 'pl_a', text), atMs);
    await webhooks.updateDelivery(id, { status: 'succeeded', next_attempt_at: null, finished_at: atMs });
    return id;
  };
  const shrink = async (beforeMs: number) => {
    while (await webhooks.deleteFinishedBatch('whk_1', beforeMs)) {}
    return (await list(webhooks)).map(({ id }) => id).filter((id) => id !== waiting.id);
  };
  const small = [];
  for (let n = 1; n <= 7; n++) {
    small.push(await add(n));
  }
  expect(await shrink(0)).toEqual(small.slice(2).toReversed());
  expect(await shrink(5)).toEqual(small.slice(4).toReversed());
  const long = [
    await add(8, 'x'.repeat(3000)),
    await add(9, 'x'.repeat(3000)),
    await add(10, 'x'.repeat(3000)),
  ];
  expect(await shrink(5)).toEqual(long.slice(1).toReversed());
  expect(await list(webhooks)).toContainEqual(expect.objectContaining({ id: waiting.id, status: 'pending' }));
});

test('a page of large deliveries omits the data beyond 8 MiB', async () => {
  const webhooks = webhookRepository(db);
  for (let n = 0; n < 3; n++) {
    await webhooks.insertDelivery(deliveryInput('whk_1', `pl_${n}`, 'x'.repeat(5e6)), n);
  }
  expect((await list(webhooks)).map(({ payload }) => payload.data.playlist?.id ?? null)).toEqual([
    'pl_2',
    null,
    null,
  ]);
  const one = await webhooks.listDeliveries('whk_1', { page: 3, limit: 1, status: 'pending' });
  expect([one.total, JSON.parse(one.rows[0]?.payload ?? '{}').data.playlist.id]).toEqual([3, 'pl_0']);
});

test('pending deliveries are failed in batches', async () => {
  const webhooks = webhookRepository(db);
  for (let n = 0; n < 3; n++) {
    await webhooks.insertDelivery(deliveryInput('whk_1', `pl_${n}`, 'x'.repeat(9 * 2 ** 20)), n);
  }
  const left = [];
  while (await webhooks.failPendingBatch('whk_1', 'gone', 5)) {
    left.push((await list(webhooks)).filter(({ status }) => status === 'pending').length);
  }
  expect(left).toEqual([2, 1, 0]);
});
