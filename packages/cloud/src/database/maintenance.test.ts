import { statfsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { mountSmallDisk } from '../../../../test/support/test-disks.ts';
import { StartupError } from '../domain/startup-error.ts';
import { copyDatabase, DATABASE_FILE } from './maintenance.ts';

const open = (file: string): Sqlite.Database => {
  const database = new Sqlite(file);
  onTestFinished(() => void database.close());
  return database;
};

const MIB = 1_048_576;
const TEXT = 'x'.repeat(2000);

/** A database of 20 MB, to which `insert` adds a row. */
function fillDatabase(dataDir: string) {
  const file = join(dataDir, DATABASE_FILE);
  const cloud = open(file);
  cloud.pragma('journal_mode = WAL');
  cloud.pragma('wal_autocheckpoint = 0');
  cloud.exec('create table plays (number integer primary key, text text)');
  const insert = cloud.prepare('insert into plays (text) values (?)');
  cloud.transaction(() => {
    for (let n = 0; n < 10_000; n++) {
      insert.run(TEXT);
    }
  })();
  cloud.pragma('wal_checkpoint(truncate)');
  return { cloud, file, size: statSync(file).size, insert: () => insert.run(TEXT) };
}

test('a copy of a database in which others write all the time ends, and has what there was at its beginning', async () => {
  const dataDir = tempDir();
  const { file, size, insert } = fillDatabase(dataDir);

  const to = join(dataDir, 'copy');
  const state = { isDone: false };
  const copied = copyDatabase(dataDir, to, 0).finally(() => (state.isDone = true));
  // A commit between any two steps of the copy, which has fifty.
  let commits = 0;
  while (!state.isDone && commits < 20_000) {
    insert();
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

test('a copy ends before what is committed meanwhile fills the disk, and leaves nothing in the write-ahead log', async ({
  skip,
}) => {
  const disk = mountSmallDisk(64) ?? skip('no right to mount a disk');
  const { cloud, file, size, insert } = fillDatabase(disk.dir);
  const freeBytes = () => {
    const { bavail, bsize } = statfsSync(disk.dir);
    return bavail * bsize;
  };
  const minFreeBytes = freeBytes() - 4 * MIB;
  const state = { isDone: false };
  const copied = copyDatabase(disk.dir, join(tempDir(), 'copy'), minFreeBytes)
    .catch((error: unknown) => error)
    .finally(() => (state.isDone = true));
  let leastFree = Infinity;
  while (!state.isDone && leastFree > 0) {
    cloud.transaction(() => {
      for (let n = 0; n < 100; n++) {
        insert();
      }
    })();
    leastFree = Math.min(leastFree, freeBytes());
    await setImmediate();
  }
  const error = await copied;
  expect(error).toBeInstanceOf(StartupError);
  expect(error).toMatchObject({
    message: expect.stringMatching(/^The disk of the data folder .*--min-free.*Free disk space/),
  });
  expect(leastFree).toBeLessThan(minFreeBytes);
  expect(leastFree).toBeGreaterThan(minFreeBytes - 4 * MIB);
  expect(statSync(file).size).toBeGreaterThan(size);
});
