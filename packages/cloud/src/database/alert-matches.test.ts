import { beforeEach, expect, test } from 'vitest';
import { openTestDb } from '../../test/support/open-test-database.ts';
import { alertMatchRepository } from './alert-matches.ts';
import { alertRuleRepository } from './alert-rules.ts';
import type { Db } from './db.ts';

let db: Db;
let matches: ReturnType<typeof alertMatchRepository>;
beforeEach(async () => {
  db = await openTestDb();
  matches = alertMatchRepository(db);
});

const matchesOf = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ device_id: `dev_${index}`, since: index, detail: null }));
const insertRule = (id: string) =>
  alertRuleRepository(db).insert({
    id,
    name: 'R',
    condition: '{}',
    filter: '{}',
    is_active: 1,
    opening_hours: null,
    created_at: 0,
    updated_at: 0,
  });
const countAll = async () => (await db.selectFrom('alert_matches').select('device_id').execute()).length;

test('a rule has the matches of its generation alone', async () => {
  const [before, now] = [
    { id: 'arule_1', generation: 0 },
    { id: 'arule_1', generation: 1 },
  ];
  await matches.put(before, matchesOf(2));
  expect(await matches.ofRule(now)).toEqual([]);
  await matches.put(now, [{ device_id: 'dev_0', since: 7, detail: 'r1' }]);
  await matches.put(now, [{ device_id: 'dev_0', since: 8, detail: 'r2' }]);
  expect(await matches.ofRule(now)).toEqual([{ device_id: 'dev_0', since: 8, detail: 'r2' }]);
  await matches.delete(now, ['dev_0', 'dev_1']);
  expect([await matches.ofRule(now), (await matches.ofRule(before)).length]).toEqual([[], 2]);
});

test('what rules have left is deleted in batches, and nothing else', async () => {
  for (const id of ['arule_1', 'arule_2']) {
    await insertRule(id);
  }
  const current = { id: 'arule_2', generation: 1 };
  await alertRuleRepository(db).update('arule_2', { generation: 1 });
  await matches.put({ id: 'arule_0', generation: 3 }, matchesOf(1500));
  await matches.put({ id: 'arule_1', generation: 0 }, matchesOf(3));
  await matches.put({ id: 'arule_2', generation: 0 }, matchesOf(20));
  await matches.put(current, matchesOf(5));
  await matches.put({ id: 'arule_3', generation: 0 }, matchesOf(1));
  const left = [await countAll()];
  while (await matches.deleteBatch()) {
    left.push(await countAll());
  }
  expect(left).toEqual([1529, 529, 29, 9, 8]);
  expect((await matches.ofRule({ id: 'arule_1', generation: 0 })).length).toBe(3);
  expect((await matches.ofRule(current)).length).toBe(5);
});
