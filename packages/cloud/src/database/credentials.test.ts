import { setImmediate } from 'node:timers/promises';
import Sqlite from 'better-sqlite3';
import { onTestFinished, expect, test, vi } from 'vitest';
import { eventually } from '../../../../test/support/eventually.ts';
import { openSqliteTestDb } from '../../test/support/open-test-database.ts';
import { nextRequestTurn } from '../event-loop/request-turn.ts';
import { apiKeyRepository } from './api-keys.ts';
import { createCredentials } from './credentials.ts';
import { deviceRepository } from './devices.ts';

/** A cloud's credentials, and another connection as the command line has one. */
async function open() {
  const db = await openSqliteTestDb();
  const other = new Sqlite(db.reader.name);
  onTestFinished(() => void other.close());
  const keys = apiKeyRepository(db);
  const key = { id: 'key_1', hash: 'secret', name: 'Till', scope: 'Read', created_at: 0 } as const;
  await keys.insert({ ...key, expires_at: null, last_used_at: null });
  const devices = deviceRepository(db);
  await devices.insertToken('token', 'dev_1', 0);
  return { ...createCredentials(db), db, keys, devices, other };
}

test('a key is found from its insertion on, and not after its removal by this or another process', async () => {
  const { findKey, keys, other } = await open();
  const expected = { id: 'key_1', name: 'Till', scope: 'Read', expires_at: null };
  expect(findKey('another')).toBeUndefined();
  expect(findKey('secret')).toEqual(expected);
  other.exec("update api_keys set name = 'Desk', scope = 'Write' where id = 'key_1'");
  expect(findKey('secret')).toEqual({ ...expected, name: 'Desk', scope: 'Write' });
  other.exec(
    "insert into api_keys (id, hash, name, scope, created_at) values ('key_2', 'another', 'New', 'Read', 0)",
  );
  expect(findKey('another')).toMatchObject({ id: 'key_2' });
  other.exec("delete from api_keys where id = 'key_2'");
  expect(findKey('another')).toBeUndefined();
  expect(await keys.delete('key_1')).toBe(true);
  expect(findKey('secret')).toBeUndefined();
});

test('requests of one turn share what is known of keys, and those of the next one do not', async () => {
  const { findKey, other } = await open();
  expect(findKey('secret')).toBeDefined();
  // A turn that takes long ends earlier.
  vi.spyOn(performance, 'now').mockReturnValue(0);
  onTestFinished(() => void vi.restoreAllMocks());
  const [before, after] = await Promise.all([
    nextRequestTurn().then(() => {
      const found = findKey('secret');
      other.exec("delete from api_keys where id = 'key_1'");
      return found;
    }),
    nextRequestTurn().then(() => findKey('secret')),
  ]);
  expect(before).toBeDefined();
  // It had arrived before the key was removed.
  expect(after).toBe(before);
  // No request arrives within a turn.
  await setImmediate();
  await nextRequestTurn();
  expect(findKey('secret')).toBeUndefined();
});

test('a token is found with its first use and its revocation', async () => {
  const { findToken, devices, other } = await open();
  const expected = { device_id: 'dev_1', first_used_at: null, revoked_at: null };
  expect(findToken('token')).toEqual(expected);
  await devices.markTokenUsed('token', 5);
  expect(findToken('token')).toEqual({ ...expected, first_used_at: 5 });
  await devices.revokeTokens('dev_1', 6);
  expect(findToken('token')).toMatchObject({ revoked_at: 6 });
  other.exec("delete from device_tokens where hash = 'token'");
  await eventually(() => expect(findToken('token')).toBeUndefined());
});

test('a token is revoked from the commit on, also when it was asked for during the transaction', async () => {
  const { findToken, db, devices } = await open();
  await devices.markTokenUsed('token', 5);
  const used = { device_id: 'dev_1', first_used_at: 5, revoked_at: null };
  await db.transaction().execute(async (trx) => {
    await deviceRepository(trx).revokeTokens('dev_1', 6);
    expect(findToken('token')).toEqual(used);
    expect(findToken('token')).toEqual(used);
  });
  expect(findToken('token')).toEqual({ ...used, revoked_at: 6 });
});

test('what is found again is the same, whatever else is written', async () => {
  const { findKey, keys } = await open();
  const found = findKey('secret');
  await keys.setLastUsed('key_1', 7);
  expect(findKey('secret')).toBe(found);
});
