import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { openTestDb } from '../../test/support/open-test-database.ts';
import { scheduleRepository } from './schedules.ts';

test('a page of schedules counts their rules without reading them', async () => {
  const db = await openTestDb();
  await sql`insert into playlists (id, name, mode, created_at, updated_at)
    values ('pl_1', 'P', 'sequential', 0, 0)`.execute(db);
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 101)
    insert into schedules (id, name, is_active, created_at, updated_at) select 'sch_' || i, 'S', 1, i, 0 from n`.execute(
    db,
  );
  await sql`with recursive n(i) as (select 1 union all select i + 1 from n where i < 400)
    insert into schedule_rules (id, schedule_id, position, playlist_id, start_time, end_time, priority, created_at,
      updated_at)
    select schedules.id || '_' || i, schedules.id, i, 'pl_1', '08:00', '09:00', 0, 0, 0
    from schedules, n where schedules.id <> 'sch_100'`.execute(db);
  await sql`insert into schedule_targets (schedule_id, position, kind, ref) values ('sch_100', 0, 'tag', 't')`.execute(
    db,
  );

  const schedules = scheduleRepository(db);
  const before = process.threadCpuUsage();
  for (let i = 0; i < 20; i++) {
    await schedules.list({ page: 1, limit: 100 });
  }
  const { user, system } = process.threadCpuUsage(before);
  expect((user + system) / 1000).toBeLessThan(300);
  const { rows, total } = await schedules.list({ page: 1, limit: 2 });
  expect(total).toBe(101);
  expect(rows).toEqual([
    expect.objectContaining({ id: 'sch_101', rule_count: 400, targets: [] }),
    expect.objectContaining({ id: 'sch_100', rule_count: 0, targets: [{ type: 'tag', value: 't' }] }),
  ]);
});
