import { statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { copyDatabase, DATABASE_FILE } from './maintenance.ts';

const open = (file: string): Sqlite.Database => {
  const database = new Sqlite(file);
  onTestFinished(() => void database.close());
  return database;
};

test('a copy of a database in which others write all the time ends, and has what there was at its beginning', async () => {
  const dataDir = tempDir();
  const file = join(dataDir, DATABASE_FILE);
  const cloud = open(file);
  cloud.pragma('journal_mode = WAL');
  cloud.pragma('wal_autocheckpoint = 0');
  cloud.exec('create table plays (number integer primary key, text text)');
  const insert = cloud.prepare('insert into plays (text) values (?)');
  const text = 'x'.repeat(2000);
  cloud.transaction(() => {
    for (let n = 0; n < 10_000; n++) {
      insert.run(text);
    }
  })();
  cloud.pragma('wal_checkpoint(truncate)');
  const { size } = statSync(file);

  const to = join(dataDir, 'copy');
  const state = { isDone: false };
  const copied = copyDatabase(dataDir, to).finally(() => (state.isDone = true));
  // A commit between any two steps of the copy, which has fifty.
  let commits = 0;
  while (!state.isDone && commits < 20_000) {
    insert.run(text);
    commits += 1;
    await setImmediate();
  }
  await copied;
  expect(commits).toBeGreaterThan(10);
  expect(commits).toBeLessThan(20_000);

  const copy = open(to);
  expect(copy.prepare('select count(*) from plays').pluck().get()).toBe(10_000);
  expect(copy.pragma('integrity_check', { simple: true })).toBe('ok');
  // What was committed meanwhile, which makes the file larger, was not left to the next commit of the cloud.
  expect(statSync(file).size).toBeGreaterThan(size);
});
