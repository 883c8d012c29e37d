import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, test } from 'vitest';
import { insertDevice } from '../../test/support/insert-device.ts';
import { openTestDb } from '../../test/support/open-test-database.ts';
import { OFFLINE_AFTER_MS } from '../domain/presence.ts';
import { deviceRepository } from './devices.ts';
import { presenceRepository } from './presence.ts';

async function open() {
  const db = await openTestDb();
  return { db, presence: presenceRepository(db) };
}

/** The result, and the turns of the event loop until then. */
async function countTurns<T>(work: Promise<T>): Promise<{ value: T; turns: number }> {
  const state = { turns: 0, done: false };
  const read = work.finally(() => (state.done = true));
  while (!state.done) {
    state.turns += 1;
    await setImmediate();
  }
  return { value: await read, turns: state.turns };
}

test('ids are read in batches, and names only for the requested ids', async () => {
  const { db, presence } = await open();
  await sql`with recursive n(i) as (select 0 union all select i + 1 from n where i < 19999)
    insert into removed_devices (id, name, removed_at) select 'dev_' || i, 'Screen ' || i, 0 from n`.execute(
    db,
  );
  const { value: ids, turns } = await countTurns(presence.ids('device'));
  expect([ids.size, ids.has('dev_0'), ids.has('dev_19999')]).toEqual([20_000, true, true]);
  expect(turns).toBeGreaterThan(3);
  expect(await presence.names('device', ['dev_7', 'dev_none', ''])).toEqual(new Map([['dev_7', 'Screen 7']]));
  expect(await presence.names('content', [])).toEqual(new Map());
});

test('online spans are read in batches: open ones first, then the others by their ends', async () => {
  const { db, presence } = await open();
  // Devices that reconnect all day: 90 s online, 5 s offline. Many spans end at the same time.
  await sql`with recursive n(i) as (select 0 union all select i + 1 from n where i < 39999)
    insert into online_spans select 'dev_' || (i % 10), i / 10 * 95, i / 10 * 95 + 90 from n`.execute(db);
  await sql`insert into online_spans values ('dev_3', 5, null), ('dev_4', 900000000, null)`.execute(db);
  const { signal } = new AbortController();
  const read = async (fromMs: number, toMs: number) => {
    const rows = [];
    for await (const some of presence.spans(fromMs, toMs, signal)) {
      rows.push(...some);
    }
    return rows;
  };
  const { value: rows, turns } = await countTurns(read(90, 380_000));
  expect(turns).toBeGreaterThan(7);
  const ends = rows.map((row) => row.ended_at ?? 0);
  // The spans of the ten devices that end at 90 are over when the range begins.
  expect([rows.length, ends[0]]).toEqual([1 + 39_990, 0]);
  expect(ends).toEqual(ends.toSorted((a, b) => a - b));
  expect(new Set(rows.map((row) => `${row.device_id} ${row.started_at}`)).size).toBe(rows.length);
  expect((await read(90, 1_000)).map((row) => row.started_at).every((atMs) => atMs < 1_000)).toBe(true);
  expect(await countTurns(read(0, 1_000)).then(({ value }) => value.length)).toBe(1 + 110);
});

test('old spans are deleted, open ones kept', async () => {
  const { db, presence } = await open();
  await sql`with recursive n(i) as (select 0 union all select i + 1 from n where i < 2999)
    insert into online_spans select 'dev_1', i, i + 1 from n`.execute(db);
  await sql`insert into online_spans values ('dev_2', 5, null)`.execute(db);
  await sql`insert into observed_spans values (0, 1000), (1001, 9000)`.execute(db);
  await presence.deleteBefore(2_500);
  expect(
    await db
      .selectFrom('online_spans')
      .select((eb) => eb.fn.countAll().as('n'))
      .execute(),
  ).toEqual([{ n: 502 }]);
  expect(await presence.observed(0, 9_000)).toEqual([{ started_at: 1001, ended_at: 9000 }]);
});

test('a device that was heard in the future counts as heard now, and one that was heard a moment ago stays as it is', async () => {
  const { db, presence } = await open();
  const devices = deviceRepository(db);
  const [now, hour] = [OFFLINE_AFTER_MS, 3_600_000];
  const seen = { ahead: now + hour, ofAnotherNode: now + 59_000 };
  for (const [id, last_seen] of Object.entries(seen)) {
    const { number } = await insertDevice(db, id, { status: 'online' });
    await devices.updateLive(number, { last_seen, last_heartbeat: last_seen });
  }
  expect(await presence.endSilent(0, 10)).toBe(1);
  const rows = await Promise.all(Object.keys(seen).map((id) => devices.findRow(id)));
  expect(rows.map((row) => [row?.status, row?.last_seen, row?.last_heartbeat])).toEqual([
    ['online', now, now],
    ['online', seen.ofAnotherNode, seen.ofAnotherNode],
  ]);
  expect(await presence.endSilent(0, 10)).toBe(0);
});

test('silent devices are marked offline some at a time, and count as online until their last message', async () => {
  const { db, presence } = await open();
  const devices = deviceRepository(db);
  for (const [index, id] of ['a', 'b', 'c', 'd'].entries()) {
    const { number } = await insertDevice(db, id, { status: 'online' });
    await devices.updateLive(number, { last_seen: 100 + index });
    await presence.openSpan(id, 10);
    await presence.closeSpan(id, 20);
    await presence.openSpan(id, 30 + index);
  }
  expect(await presence.endSilent(102, 2)).toBe(2);
  expect(await presence.endSilent(102, 2)).toBe(1);
  expect(await presence.endSilent(102, 2)).toBe(0);

  const rows = await Promise.all(['a', 'b', 'c', 'd'].map((id) => devices.findRow(id)));
  expect(rows.map((row) => row?.status)).toEqual(['offline', 'offline', 'offline', 'online']);
  expect(rows.map((row) => row?.online)).toEqual([0, 0, 0, 1]);
  const spans = await db
    .selectFrom('online_spans')
    .selectAll()
    .where('started_at', '>=', 30)
    .orderBy('started_at')
    .execute();
  expect(spans.map(({ ended_at }) => ended_at)).toEqual([100, 101, 102, null]);
});
