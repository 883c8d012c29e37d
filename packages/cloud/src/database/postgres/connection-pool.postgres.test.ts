import { Kysely, PostgresDialect, sql } from 'kysely';
import { expect, inject, onTestFinished, test, vi } from 'vitest';
import { createCopy } from '../../../test/support/postgres-databases.ts';
import { startPostgresProxy } from '../../../test/support/postgres-proxy.ts';
import { storageFailureOf } from '../../domain/storage-failure.ts';
import type { Db } from '../db.ts';
import type { DatabaseSchema } from '../schema.ts';
import { createConnectionPool } from './connection-pool.ts';

/** A database behind a proxy, through one connection, so that each statement uses the one of the statement before. */
async function open(config: { query_timeout?: number } = {}) {
  const proxy = await startPostgresProxy(
    await createCopy(inject('postgres')!, onTestFinished),
    onTestFinished,
  );
  const changes: (string | null)[] = [];
  const pool = createConnectionPool({
    config: { connectionString: proxy.url, max: 1, ...config },
    onChange: (failure) => changes.push(failure),
  });
  const db = new Kysely<DatabaseSchema>({ dialect: new PostgresDialect({ pool }) });
  onTestFinished(() => db.destroy());
  return { db, proxy, changes };
}

const select = (db: Db) => sql<{ one: number }>`select 1 as one`.execute(db);
const failureOf = (run: Promise<unknown>) =>
  run.then(
    () => 'none',
    (error: unknown) => storageFailureOf(error),
  );
/** As an administrator, or a server that stops, ends a connection. */
const terminate = async (db: Db, pid: number) => {
  await sql`select pg_terminate_backend(${pid})`.execute(db);
};
const readPid = async (db: Db) => {
  const { rows } = await sql<{ pid: number }>`select pg_backend_pid() as pid`.execute(db);
  return rows[0]!.pid;
};

test('a database that cannot be reached is a failure of the storage until it is there again, and reported once', async () => {
  const { db, proxy, changes } = await open();
  await select(db);
  proxy.cut();
  for (let attempt = 0; attempt < 3; attempt++) {
    expect(await failureOf(select(db))).toBe('database_unavailable');
  }
  proxy.restore();
  expect((await select(db)).rows).toEqual([{ one: 1 }]);
  await select(db);
  expect(changes).toEqual([expect.any(String), null]);
});

test('a connection that is lost within a transaction fails the transaction, and not the process', async () => {
  const { db } = await open();
  const other = await open();
  const failure = await failureOf(
    db.transaction().execute(async (trx) => {
      await terminate(other.db, await readPid(trx));
      await select(trx);
    }),
  );
  expect(failure).toBe('database_unavailable');
  // While it is not in use.
  await terminate(other.db, await readPid(db));
  await failureOf(select(db));
  expect((await select(db)).rows).toEqual([{ one: 1 }]);
});

test('a connection that no longer answers is given up, also by the end of its transaction', async () => {
  const { db, proxy } = await open({ query_timeout: 2000 });
  const timers = vi.spyOn(globalThis, 'setTimeout');
  onTestFinished(() => timers.mockRestore());
  const failure = await failureOf(
    db.transaction().execute(async (trx) => {
      await select(trx);
      proxy.freeze();
      timers.mockClear();
      await select(trx);
    }),
  );
  expect(failure).toBe('database_unavailable');
  expect(
    timers.mock.calls.filter(([, ms]) => ms === 2000),
    'nothing else was sent over it',
  ).toHaveLength(1);
  proxy.restore();
  expect((await select(db)).rows).toEqual([{ one: 1 }]);
});

test('what is wrong with a statement is not a failure of the storage, and its connection goes on', async () => {
  const { db, changes } = await open();
  const pid = await readPid(db);
  expect(await failureOf(sql`select 1 / 0`.execute(db))).toBeNull();
  expect(await readPid(db)).toBe(pid);
  expect(changes).toEqual([]);
});
