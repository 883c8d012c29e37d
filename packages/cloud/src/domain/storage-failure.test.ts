import { expect, test } from 'vitest';
import { databaseUnavailableError, ignoreStorageFailure, storageFailureOf } from './storage-failure.ts';

test.each([
  ['SQLITE_FULL', 'full'],
  ['ENOSPC', 'full'],
  ['SQLITE_BUSY_SNAPSHOT', 'busy'],
  ['SQLITE_READONLY', 'read_only'],
  ['53100', 'database_full'],
  ['53300', 'database_unavailable'],
  ['08006', 'database_unavailable'],
  ['57P01', 'database_unavailable'],
  ['28P01', 'database_unavailable'],
  ['25006', 'database_unavailable'],
  ['40P01', 'busy'],
  ['57014', 'busy'],
  // What is wrong with the change itself, and with other servers.
  ['23505', null],
  ['22021', null],
  ['ECONNREFUSED', null],
  ['28', null],
])('the code %s is %s', (code, failure) => {
  expect(storageFailureOf(Object.assign(new Error('x'), { code }))).toBe(failure);
});

test('a lost connection is a failure of the storage; other errors are thrown again', () => {
  const error = databaseUnavailableError('Connection terminated', new Error('cause'));
  expect(storageFailureOf(error)).toBe('database_unavailable');
  expect(() => ignoreStorageFailure(error)).not.toThrow();
  expect(() => ignoreStorageFailure(new Error('other'))).toThrow('other');
});
