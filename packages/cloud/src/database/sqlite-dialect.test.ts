import { fstatSync, statSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import type { Logger } from 'pino';
import { expect, onTestFinished, test, vi } from 'vitest';
import { tempDir } from '../../../../test/support/temp-dir.ts';
import { nextRequestTurn } from '../event-loop/request-turn.ts';
import { openSqliteTestDb } from '../../test/support/open-test-database.ts';
import type { Db } from './db.ts';
import { openDatabase } from './open-database.ts';

const names = async (db: Db) =>
  (await db.selectFrom('removed_devices').select('name').orderBy('name').execute()).map(({ name }) => name);
const insert = (db: Db, name: string) =>
  db.insertInto('removed_devices').values({ id: name, name, removed_at: 0 }).execute();

const INSERT = 'insert into removed_devices (id, name, removed_at) values (?, ?, 0)';

test('a read does not wait for a transaction, and sees what was committed before it', async () => {
  const db = await openSqliteTestDb();
  await insert(db, 'before');
  await db.transaction().execute(async (trx) => {
    await insert(trx, 'uncommitted');
    expect(await names(db)).toEqual(['before']);
    expect(await names(trx)).toEqual(['before', 'uncommitted']);
  });
  expect(await names(db)).toEqual(['before', 'uncommitted']);
});

test('a write outside of the transaction waits for its end, and does not become part of it', async () => {
  const db = await openSqliteTestDb();
  let outside: Promise<unknown> | undefined;
  const failed = db.transaction().execute(async (trx) => {
    outside = insert(db, 'outside');
    await insert(trx, 'inside');
    throw new Error('undo');
  });
  await expect(failed).rejects.toThrow('undo');
  await outside;
  expect(await names(db)).toEqual(['outside']);
});

test('synchronous work is one transaction after those that were started before, undone if it throws', async () => {
  const db = await openSqliteTestDb();
  let seen: Promise<unknown> | undefined;
  await db.transaction().execute(async (trx) => {
    seen = db.runInTransaction(() => {
      db.writer.prepare(INSERT).run('second', 'second');
      return db.writer.prepare('select count(*) as n from removed_devices').get();
    });
    await insert(trx, 'first');
  });
  expect(await seen).toEqual({ n: 2 });
  await expect(
    db.runInTransaction(() => {
      db.writer.prepare(INSERT).run('third', 'third');
      throw new Error('undo');
    }),
  ).rejects.toThrow('undo');
  expect(await names(db)).toEqual(['first', 'second']);
});

/** A database that waits for the disk until the test lets it go on. */
async function openOnSlowDisk() {
  const disk: { fd: number; end: () => void; fail: (error: Error) => void }[] = [];
  const fatal = vi.fn<Logger['fatal']>();
  const endProcess = vi.fn<() => void>();
  const db = await openDatabase(tempDir(), {
    syncFile(fd) {
      const { promise, resolve, reject } = Promise.withResolvers<void>();
      disk.push({ fd, end: resolve, fail: reject });
      return promise;
    },
    log: { warn() {}, fatal },
    endProcess,
  });
  onTestFinished(async () => {
    disk.forEach(({ end }) => end());
    await db.destroy();
  });
  const add = (name: string) => db.runInTransaction(() => void db.writer.prepare(INSERT).run(name, name));
  return { db, disk, add, fatal, endProcess };
}

test('synchronous work is told of when it is on the disk, and others write while it is waited for', async () => {
  const { db, disk, add } = await openOnSlowDisk();
  let isTold = false;
  const first = add('first').then(() => (isTold = true));
  await vi.waitFor(() => expect(disk).toHaveLength(1));
  // The file that is written to the disk is the log.
  expect(fstatSync(disk[0]!.fd).ino).toBe(statSync(`${db.writer.name}-wal`).ino);
  await insert(db, 'meanwhile');
  expect(await names(db)).toEqual(['first', 'meanwhile']);
  expect(isTold).toBe(false);
  disk[0]!.end();
  await first;
});

test('other transactions are on the disk when they end, also after synchronous work that failed', async () => {
  const { db, disk } = await openOnSlowDisk();
  const synchronous = () => db.writer.pragma('synchronous', { simple: true });
  const during = db.runInTransaction(() => {
    throw new Error(`synchronous is ${String(synchronous())}`);
  });
  await expect(during).rejects.toThrow('synchronous is 1');
  expect(synchronous()).toBe(2);
  expect(disk).toHaveLength(0);
});

test('a log that may not be on the disk ends the process, and nobody is told of what is in it', async () => {
  const { disk, add, fatal, endProcess } = await openOnSlowDisk();
  const settled = vi.fn<() => void>();
  void add('any').then(settled, settled);
  await vi.waitFor(() => expect(disk).toHaveLength(1));
  const error = new Error('EIO: i/o error, fdatasync');
  disk[0]!.fail(error);
  await vi.waitFor(() => expect(endProcess).toHaveBeenCalledOnce());
  expect(fatal.mock.calls).toEqual([[{ err: error }, 'database.sync_failed']]);
  await setImmediate();
  expect(settled).not.toHaveBeenCalled();
});

test('a commit that SQLite cannot sync ends the process: what was committed before may not be on the disk either', async () => {
  const { db, endProcess } = await openOnSlowDisk();
  vi.spyOn(db.writer, 'exec').mockImplementation((statement) => {
    if (statement === 'commit') {
      throw Object.assign(new Error('disk I/O error'), { code: 'SQLITE_IOERR_FSYNC' });
    }
    return db.writer;
  });
  await expect(db.transaction().execute(async () => {})).rejects.toThrow('disk I/O error');
  vi.restoreAllMocks();
  expect(endProcess).toHaveBeenCalledOnce();
});

test('synchronous work ends the reads of its turn', async () => {
  const { db, disk, add } = await openOnSlowDisk();
  await nextRequestTurn();
  db.turnReads.run(() => db.writer.prepare('select 1').get());
  expect(db.turnReads.isOpen()).toBe(true);
  void add('any');
  await vi.waitFor(() => expect(disk).toHaveLength(1));
  expect(await names(db)).toEqual(['any']);
  expect(db.writer.pragma('synchronous', { simple: true })).toBe(2);
});

test('closing refuses all that wait behind it', async () => {
  const db = await openSqliteTestDb();
  const end = Promise.withResolvers<void>();
  const running = db.transaction().execute(() => end.promise);
  const closed = db.destroy();
  await setImmediate();
  const waiting = [db.runInTransaction(() => 'never'), db.runInTransaction(() => 'never')];
  end.resolve();
  await Promise.all([running, closed]);
  const states = (await Promise.allSettled(waiting)).map(({ status }) => status);
  expect(states).toEqual(['rejected', 'rejected']);
});

test('closing waits for the running transaction', async () => {
  const db = await openSqliteTestDb();
  let closed: Promise<void> | undefined;
  const seen = await db.transaction().execute(async (trx) => {
    closed = db.destroy();
    await insert(trx, 'kept');
    return names(trx);
  });
  expect(seen).toEqual(['kept']);
  await closed;
  await expect(names(db)).rejects.toThrow('destroyed');
});

test('writes wait for another process without blocking the event loop', async () => {
  const db = await openSqliteTestDb();
  const other = new Sqlite(db.writer.name);
  onTestFinished(() => void other.close());
  const writes = [
    () => insert(db, 'alone'),
    () => db.transaction().execute((trx) => insert(trx, 'in a transaction')),
    () => db.runInTransaction(() => db.writer.prepare(INSERT).run('synchronous', 'synchronous')),
  ];
  for (const write of writes) {
    other.exec('begin immediate');
    const written = write();
    await setImmediate();
    other.exec('commit');
    await written;
  }
  expect(await names(db)).toEqual(['alone', 'in a transaction', 'synchronous']);
  // What SQLite itself may wait, during which nothing else happens.
  for (const connection of [db.writer, db.reader]) {
    expect(connection.pragma('busy_timeout', { simple: true })).toBeLessThanOrEqual(5);
  }
});
