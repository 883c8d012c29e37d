import { copyFileSync, existsSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { createCheckpoints } from './checkpoints.ts';
import type { CheckpointDeps } from './checkpoints.ts';
import { openDatabase } from './open-database.ts';

const PAGES = 100;
const WAIT = { timeout: 30_000, interval: 20 };

/** A database whose log is moved by nobody else. */
function openWriter() {
  const file = join(tempDir(), 'any.sqlite');
  const writer = new Sqlite(file);
  onTestFinished(() => void writer.close());
  writer.pragma('journal_mode = WAL');
  writer.pragma('wal_autocheckpoint = 0');
  writer.exec('create table rows (content)');
  const insert = writer.prepare("insert into rows values (printf('%4000d', 1))");
  /** In one transaction, about a page for each. */
  const insertRows = writer.transaction((count: number) => {
    for (let row = 0; row < count; row++) {
      insert.run();
    }
  });
  return { file, writer, insertRows, logBytes: () => statSync(`${file}-wal`).size };
}

/** Rows in the database file alone, without what is only in the log. */
function rowsMoved(file: string, table = 'rows'): unknown {
  const copy = join(tempDir(), 'copy.sqlite');
  copyFileSync(file, copy);
  const database = new Sqlite(copy);
  try {
    return database.prepare(`select count(*) from ${table}`).pluck().get();
  } finally {
    database.close();
  }
}

function start(deps: Pick<CheckpointDeps, 'writer'> & Partial<CheckpointDeps>) {
  const warn = vi.fn<(fields: { message: string }) => void>();
  const checkpoints = createCheckpoints({
    betweenTransactions: async (work) => work(),
    log: { warn },
    checkpointPages: PAGES,
    ...deps,
  });
  onTestFinished(() => checkpoints.stop());
  return { checkpoints, warn };
}

test('the log is moved, with what was committed meanwhile, and used from its beginning again', async () => {
  const { file, writer, insertRows, logBytes } = openWriter();
  let moves = 0;
  const { checkpoints, warn } = start({
    writer,
    // The thread has answered.
    async betweenTransactions(work) {
      insertRows(1);
      work();
      moves += 1;
    },
  });
  let firstBytes = 0;
  for (let round = 1; round <= 5; round++) {
    insertRows(2 * PAGES);
    checkpoints.afterCommit();
    await vi.waitFor(() => expect(moves).toBe(round), WAIT);
    expect(rowsMoved(file)).toBe(round * (2 * PAGES + 1));
    firstBytes ||= logBytes();
  }
  expect(logBytes()).toBeLessThan(1.2 * firstBytes);
  expect(warn).not.toHaveBeenCalled();
});

test('closing the database ends the thread, and nothing is left in a log', async () => {
  const folder = tempDir();
  const file = join(folder, 'cloud.sqlite');
  const db = await openDatabase(folder, { checkpointPages: 1 });
  await db.insertInto('removed_devices').values({ id: 'a', name: 'a', removed_at: 0 }).execute();
  await db.destroy();
  expect(existsSync(`${file}-wal`)).toBe(false);
  expect(rowsMoved(file, 'removed_devices')).toBe(1);
});

test('a thread that cannot be loaded is logged once, and SQLite moves the log', async () => {
  const { file, writer, insertRows } = openWriter();
  const main = join(tempDir(), 'main.mjs');
  writeFileSync(main, "throw new Error('cannot be loaded');");
  const { checkpoints, warn } = start({ writer, main });
  insertRows(2 * PAGES);
  checkpoints.afterCommit();
  await vi.waitFor(() => expect(warn).toHaveBeenCalledOnce(), WAIT);
  expect(warn.mock.calls[0]![0].message).toContain('cannot be loaded');
  insertRows(2 * PAGES);
  checkpoints.afterCommit();
  expect(rowsMoved(file)).toBe(4 * PAGES);
  expect(warn).toHaveBeenCalledOnce();
});

test('a thread that cannot move the log is logged, and what it left is moved', async () => {
  const { file, writer, insertRows } = openWriter();
  const main = join(tempDir(), 'main.mjs');
  writeFileSync(
    main,
    "import { parentPort } from 'node:worker_threads'; parentPort.on('message', () => parentPort.postMessage('the disk has failed'));",
  );
  const { checkpoints, warn } = start({ writer, main });
  insertRows(2 * PAGES);
  checkpoints.afterCommit();
  await vi.waitFor(() => expect(warn).toHaveBeenCalledOnce(), WAIT);
  expect(warn.mock.calls[0]![0].message).toContain('the disk has failed');
  expect(rowsMoved(file)).toBe(2 * PAGES);
});
