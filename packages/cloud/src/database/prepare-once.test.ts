import Sqlite from 'better-sqlite3';
import { expect, test } from 'vitest';
import { prepareOnce } from './prepare-once.ts';

const open = () => {
  const database = new Sqlite(':memory:');
  database.exec(
    "create table t (id text primary key, n integer, u text); insert into t values ('a', 1, null), ('b', 2, 'x')",
  );
  return database;
};

test('no parameter is left that the planner would look at', () => {
  const { source } = prepareOnce(
    open(),
    'update t set u = ? where id = ? and n >= ? and u is ? and n in (select n from t where n IS ? limit ? offset ?)',
  );
  expect(source.replaceAll('+?', '')).not.toContain('?');
});

test('the result is that of the statement as it was written', () => {
  const database = open();
  const read = prepareOnce<unknown[], { id: string }>(
    database,
    'select id from t where n >= ? and (u is ? or id = ?) order by n limit ? offset ?',
  );
  const idsOf = (...values: unknown[]) => read.all(...values).map(({ id }) => id);
  expect(idsOf(1, 'x', 'a', 10, 0)).toEqual(['a', 'b']);
  expect(idsOf(1, 'x', 'a', 1, 1)).toEqual(['b']);
  expect(idsOf('2', null, 'b', 10, 0)).toEqual(['b']);
  expect(idsOf(1, null, null, 10, 0)).toEqual(['a']);
  const write = prepareOnce(database, 'insert into t values (?, ?, ?) on conflict (id) do update set u = ?');
  write.run('b', 2, 'x', '7');
  expect(database.prepare("select u from t where id = 'b'").pluck().get()).toBe('7');
});
