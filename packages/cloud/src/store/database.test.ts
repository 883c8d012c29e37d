import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { sql } from 'kysely';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openDatabase } from './database.ts';
import type { Db } from './database.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'placard-database-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const pragma = async (db: Db, name: string) => {
  const { rows } = await sql<Record<string, unknown>>`pragma ${sql.raw(name)}`.execute(db);
  return Object.values(rows[0] ?? {})[0];
};

test('writes are safe from a power cut at the first open and at every later one', async () => {
  for (let open = 1; open <= 2; open++) {
    const db = await openDatabase(folder);
    expect(await pragma(db, 'journal_mode')).toBe('wal');
    expect(await pragma(db, 'synchronous'), `open ${open}`).toBe(2);
    expect(await pragma(db, 'foreign_keys')).toBe(1);
    await db.destroy();
  }
});

const insert = (db: Db, id: string) =>
  db.insertInto('removed_devices').values({ id, name: id, removed_at: 0 }).execute();

test('a transaction that reads first can still write when another process has written meanwhile', async () => {
  const [one, other] = [await openDatabase(folder), await openDatabase(folder)];
  try {
    await one.transaction().execute(async (trx) => {
      await trx.selectFrom('removed_devices').selectAll().execute();
      // The other one would wait for the lock; here it is the same thread, so it is told at once.
      await sql`pragma busy_timeout = 0`.execute(other);
      await expect(insert(other, 'b')).rejects.toThrow('locked');
      await insert(trx, 'a');
    });
    await insert(other, 'b');
    expect(await one.selectFrom('removed_devices').selectAll().execute()).toHaveLength(2);
  } finally {
    await one.destroy();
    await other.destroy();
  }
});
