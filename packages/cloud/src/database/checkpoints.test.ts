import { copyFileSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { createCheckpoints } from './checkpoints.ts';
import { openDatabase } from './open-database.ts';
import type { RootDb } from './open-database.ts';

const ROWS = 1_000;
const WAIT = { timeout: 30_000, interval: 20 };

const writeRows = (db: RootDb, begin: number) =>
  db.runInTransaction((writer) => {
    const insert = writer.prepare('insert into removed_devices (id, name, removed_at) values (?, ?, 0)');
    for (let row = begin; row < begin + ROWS; row++) {
      insert.run(String(row), 'a'.repeat(100));
    }
  });

/** Rows in the database file alone, without what is only in the log. */
function rowsMoved(file: string): number {
  const copy = join(tempDir(), 'copy.sqlite');
  copyFileSync(file, copy);
  const database = new Sqlite(copy);
  try {
    return Number(database.prepare('select count(*) from removed_devices').pluck().get());
  } finally {
    database.close();
  }
}

test('what was committed is moved to the database, and the log is used from its beginning again', async () => {
  const file = join(tempDir(), 'cloud.sqlite');
  const db = await openDatabase(dirname(file), { checkpointChanges: ROWS });
  onTestFinished(() => db.destroy());
  let logBytes = 0;
  for (let round = 0; round < 3; round++) {
    await writeRows(db, round * ROWS);
    await vi.waitFor(() => expect(rowsMoved(file)).toBe((round + 1) * ROWS), WAIT);
    logBytes ||= statSync(`${file}-wal`).size;
  }
  expect(statSync(`${file}-wal`).size).toBeLessThan(logBytes * 1.5);
});

test('closing the database ends the thread, and nothing is left in a log', async () => {
  const file = join(tempDir(), 'cloud.sqlite');
  const db = await openDatabase(dirname(file), { checkpointChanges: ROWS });
  await writeRows(db, 0);
  await db.destroy();
  expect(existsSync(`${file}-wal`)).toBe(false);
  expect(rowsMoved(file)).toBe(ROWS);
});

test('a thread that fails is told once, and commits go on', async () => {
  const writer = new Sqlite(join(tempDir(), 'any.sqlite'));
  writer.exec('create table numbers (number)');
  const main = join(tempDir(), 'main.mjs');
  writeFileSync(main, "throw new Error('cannot be loaded');");
  const warn = vi.fn<(fields: { message: string }) => void>();
  const checkpoints = createCheckpoints({
    writer,
    betweenTransactions: async (work) => work(),
    log: { warn },
    minChanges: ROWS,
    main,
  });
  const insert = writer.prepare(
    `with recursive number (n) as (select 1 union all select n + 1 from number where n < ${ROWS})
     insert into numbers select n from number`,
  );
  insert.run();
  checkpoints.afterCommit();
  await vi.waitFor(() => expect(warn).toHaveBeenCalledOnce(), WAIT);
  expect(warn.mock.calls[0]![0].message).toContain('cannot be loaded');
  insert.run();
  checkpoints.afterCommit();
  await checkpoints.stop();
  expect(warn).toHaveBeenCalledOnce();
});
