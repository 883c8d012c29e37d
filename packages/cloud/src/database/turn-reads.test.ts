import { setImmediate } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { beforeEach, expect, onTestFinished, test, vi } from 'vitest';
import { openSqliteTestDb } from '../../test/support/open-test-database.ts';
import { nextRequestTurn, requestTurn } from '../event-loop/request-turn.ts';
import type { RootDb } from './open-database.ts';
import { isWriting } from './sqlite-dialect.ts';

let db: RootDb;
/** Another connection, as the command line has one. */
let other: Sqlite.Database;
beforeEach(async () => {
  db = await openSqliteTestDb();
  other = new Sqlite(db.reader.name);
  onTestFinished(() => void other.close());
  await addStore('first');
  // A turn that takes long ends earlier.
  vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => void vi.restoreAllMocks());
});

const ADD = "insert into stores (id, name, tags, created_at, updated_at) values (?, 'S', '[]', 1, 1)";
const store = (id: string) => ({ id, name: 'S', tags: '[]', created_at: 1, updated_at: 1 });
const addStore = (id: string): Promise<unknown> => db.runInTransaction(() => db.writer.prepare(ADD).run(id));
const countStores = (): unknown =>
  db.turnReads.run(() => db.writer.prepare('select count(*) from stores').pluck().get());
const inTurn = async <T>(request: () => T): Promise<Awaited<T>> => {
  await nextRequestTurn();
  return await request();
};

test('requests of a turn see the same commit of another process, and those of the next turn a later one', async () => {
  const counts = await Promise.all([
    inTurn(() => {
      const count = countStores();
      other.prepare(ADD).run('second');
      return count;
    }),
    inTurn(countStores),
  ]);
  expect(counts).toEqual([1, 1]);
  await setImmediate();
  expect(db.writer.inTransaction).toBe(false);
  expect(await inTurn(countStores)).toBe(2);
});

test('a transaction of the same turn is committed by itself, and seen by later requests of the turn', async () => {
  const [count, turn, later] = await Promise.all([
    inTurn(countStores),
    inTurn(async () => {
      const before = requestTurn();
      expect([db.turnReads.isOpen(), isWriting(db)]).toEqual([true, false]);
      await db.transaction().execute((trx) => trx.insertInto('stores').values(store('second')).execute());
      expect(db.writer.inTransaction).toBe(false);
      expect(other.prepare('select count(*) from stores').pluck().get()).toBe(2);
      return [before, requestTurn()];
    }),
    inTurn(countStores),
  ]);
  expect(turn[0]).not.toBeNull();
  expect(turn[1]).toBe(turn[0]);
  expect([count, later]).toEqual([1, 2]);
});

test('a statement outside of transactions is committed by itself', async () => {
  await inTurn(async () => {
    countStores();
    await db.deleteFrom('stores').execute();
    expect(other.prepare('select count(*) from stores').pluck().get()).toBe(0);
  });
  expect(await inTurn(countStores)).toBe(0);
});

test('reads outside of a turn are one transaction, which ends with them', async () => {
  // The turn of an earlier test.
  await setImmediate();
  expect(requestTurn()).toBeNull();
  const counts = db.turnReads.run(() => {
    const select = db.writer.prepare('select count(*) from stores').pluck();
    const before = select.get();
    other.prepare(ADD).run('second');
    return [before, select.get()];
  });
  expect(counts).toEqual([1, 1]);
  expect(db.writer.inTransaction).toBe(false);
  expect(countStores()).toBe(2);
});
