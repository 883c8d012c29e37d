import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { sql } from 'kysely';
import { expect, onTestFinished, test } from 'vitest';
import { openDatabase } from './database.ts';
import { presenceRepository } from './presence.ts';

test('the ids of very many things are read bit by bit, and names of those that are asked for', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'placard-presence-'));
  const db = await openDatabase(folder);
  onTestFinished(async () => {
    await db.destroy();
    await rm(folder, { recursive: true, force: true });
  });
  await sql`with recursive n(i) as (select 0 union all select i + 1 from n where i < 19999)
    insert into removed_devices select 'dev_' || i, 'Screen ' || i, 0 from n`.execute(db);
  const presence = presenceRepository(db);
  const state = { turns: 0, done: false };
  const read = presence.ids('device').finally(() => (state.done = true));
  while (!state.done) {
    state.turns += 1;
    await setImmediate();
  }
  const ids = await read;
  expect([ids.size, ids.has('dev_0'), ids.has('dev_19999')]).toEqual([20_000, true, true]);
  expect(state.turns).toBeGreaterThan(3);
  expect(await presence.names('device', ['dev_7', 'dev_none', ''])).toEqual(new Map([['dev_7', 'Screen 7']]));
  expect(await presence.names('content', [])).toEqual(new Map());
});
