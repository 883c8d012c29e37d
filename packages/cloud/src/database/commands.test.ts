import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openTestDb } from '../../test/support/open-test-database.ts';
import { commandRepository } from './commands.ts';

/** A time beyond 32 bits. */
const NOW = Date.UTC(2026, 0, 1);

test('old commands are deleted in batches, except those that may still run', async () => {
  const db = await openTestDb();
  const insert = (count: number, status: string, createdAt: number) =>
    sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < ${count})
      insert into commands (id, device_id, command, status, created_at, expires_at)
      select ${status} || ${createdAt} || '_' || i, 'dev_1', 'REFRESH', ${status}, ${createdAt}, 0 from n`.execute(
      db,
    );
  await insert(3000, 'succeeded', 10);
  await insert(5, 'acknowledged', 10);
  await insert(2, 'delivered', 10);
  await insert(4, 'expired', 20);

  const progress = { isDone: false };
  const deleting = commandRepository(db)
    .deleteBefore(20)
    .finally(() => (progress.isDone = true));
  let eventLoopTurns = 0;
  for (; !progress.isDone; eventLoopTurns++) {
    await setImmediate();
  }
  await deleting;
  expect(eventLoopTurns).toBeGreaterThanOrEqual(3);
  const { rows } =
    await sql`select status, count(*) as n from commands group by status order by status`.execute(db);
  expect(rows).toEqual([
    { status: 'delivered', n: 2 },
    { status: 'expired', n: 4 },
  ]);
});

test('commands are pending until they expire', async () => {
  const db = await openTestDb();
  const commands = commandRepository(db);
  const command = { device_id: 'dev_1', command: 'REFRESH', status: 'queued', result: null } as const;
  const done = { delivered_at: null, acknowledged_at: null, finished_at: null };
  for (const [index, id] of ['cmd_b', 'cmd_a'].entries()) {
    await commands.insert({ ...command, ...done, id, created_at: NOW, expires_at: NOW + index + 1 });
  }
  expect((await commands.listPending('dev_1', NOW)).map(({ id }) => id)).toEqual(['cmd_a', 'cmd_b']);
  expect((await commands.listExpired(NOW + 1, 5)).map(({ id }) => id)).toEqual(['cmd_b']);
  expect(await commands.countOpen('dev_1', NOW)).toBe(2);
  await commands.failOpen('dev_1', 'removed', NOW);
  expect(await commands.list({ page: 1, limit: 100, status: 'failed' })).toMatchObject({
    total: 2,
    rows: [{ result: 'removed' }, {}],
  });
});
