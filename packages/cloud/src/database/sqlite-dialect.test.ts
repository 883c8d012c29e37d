import { setImmediate } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { expect, onTestFinished, test } from 'vitest';
import { openSqliteTestDb } from '../../test/support/open-test-database.ts';
import type { Db } from './db.ts';

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
    seen = db.runInTransaction((writer) => {
      writer.prepare(INSERT).run('second', 'second');
      return writer.prepare('select count(*) as n from removed_devices').get();
    });
    await insert(trx, 'first');
  });
  expect(await seen).toEqual({ n: 2 });
  await expect(
    db.runInTransaction((writer) => {
      writer.prepare(INSERT).run('third', 'third');
      throw new Error('undo');
    }),
  ).rejects.toThrow('undo');
  expect(await names(db)).toEqual(['first', 'second']);
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
    () => db.runInTransaction((writer) => writer.prepare(INSERT).run('synchronous', 'synchronous')),
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
