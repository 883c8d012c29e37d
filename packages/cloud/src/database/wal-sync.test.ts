import { copyFileSync, fstatSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { createWalSync, rewriteWal } from './wal-sync.ts';

/** A file whose writes to the disk end when the test says so. */
function openFile() {
  const file = join(tempDir(), 'log');
  writeFileSync(file, 'any');
  const disk: { fd: number; end: () => void; fail: (error: Error) => void }[] = [];
  const log = createWalSync(file, (fd) => {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    disk.push({ fd, end: resolve, fail: reject });
    return promise;
  });
  return { log, disk };
}

test('calls during a sync wait for the next one, which they share', async () => {
  const { log, disk } = openFile();
  onTestFinished(() => log.close());
  const ended: string[] = [];
  const wait = (name: string) => log.sync().then(() => void ended.push(name));
  const waits = [wait('first'), wait('second'), wait('third')];
  expect(disk).toHaveLength(1);
  disk[0]!.end();
  await waits[0];
  expect(ended).toEqual(['first']);
  expect(disk).toHaveLength(2);
  disk[1]!.end();
  await Promise.all(waits);
  const later = wait('later');
  expect(disk).toHaveLength(3);
  disk[2]!.end();
  await later;
  expect(ended).toEqual(['first', 'second', 'third', 'later']);
});

test('a failure is told to those who waited, and does not end later ones', async () => {
  const { log, disk } = openFile();
  onTestFinished(() => log.close());
  const [first, second] = [log.sync(), log.sync()];
  disk[0]!.fail(new Error('EIO'));
  await expect(first).rejects.toThrow('EIO');
  disk[1]!.end();
  await expect(second).resolves.toBeUndefined();
});

test('closing waits for the disk', async () => {
  const { log, disk } = openFile();
  const waits = [log.sync(), log.sync()];
  const closed = log.close();
  const { fd } = disk[0]!;
  for (const sync of [0, 1]) {
    // After the thread pool has answered, a file that was closed at once would be closed.
    await stat('.');
    await stat('.');
    expect(() => fstatSync(fd)).not.toThrow();
    disk[sync]!.end();
    await waits[sync];
  }
  await closed;
});

const ROWS = 300;

/** The files of a database whose process was killed: with more than a megabyte in the log, and nothing in the database. */
function leaveLog(): string {
  const [before, file] = [join(tempDir(), 'before.sqlite'), join(tempDir(), 'left.sqlite')];
  const killed = new Sqlite(before);
  killed.pragma('journal_mode = WAL');
  killed.pragma('wal_autocheckpoint = 0');
  killed.exec('create table rows (content)');
  const insert = killed.prepare("insert into rows values (printf('%4000d', 1))");
  for (let row = 0; row < ROWS; row++) {
    insert.run();
  }
  copyFileSync(before, file);
  copyFileSync(`${before}-wal`, `${file}-wal`);
  killed.close();
  return file;
}

test('a log that was left is written once more, as it is', () => {
  const file = leaveLog();
  const left = readFileSync(`${file}-wal`);
  expect(left.length).toBeGreaterThan(2 ** 20);
  const writer = new Sqlite(file);
  onTestFinished(() => void writer.close());
  utimesSync(`${file}-wal`, 0, 0);
  rewriteWal(writer, `${file}-wal`);
  expect(statSync(`${file}-wal`).mtimeMs).toBeGreaterThan(0);
  expect(readFileSync(`${file}-wal`).equals(left)).toBe(true);
  expect(writer.inTransaction).toBe(false);
  expect(writer.prepare('select count(*) from rows').pluck().get()).toBe(ROWS);
});

test('a log is not written once more while another process adds to it', () => {
  const file = leaveLog();
  const other = new Sqlite(file);
  onTestFinished(() => void other.close());
  other.exec('begin immediate');
  const writer = new Sqlite(file, { timeout: 0 });
  onTestFinished(() => void writer.close());
  expect(() => rewriteWal(writer, `${file}-wal`)).toThrow('locked');
});
