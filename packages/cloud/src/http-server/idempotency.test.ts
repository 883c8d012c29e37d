import { expect, test } from 'vitest';
import { openTestDb } from '../../test/support/open-test-database.ts';
import { idempotentResponseRepository } from '../database/idempotent-responses.ts';
import { createIdempotency } from './idempotency.ts';

const DAY_MS = 86_400_000;

const requestWith = (name: string, keyId = 'key_1') => ({
  keyId,
  idempotencyKey: name,
  secret: 'secret',
  target: 'POST /v1/playlists',
});
const responseWith = (id: string) => ({ status: 201, data: { id } });

test('beyond a daily quota per key, large responses are not stored, and a repeat gets a conflict', async () => {
  const db = await openTestDb();
  const tx = { idempotentResponses: idempotentResponseRepository(db) };
  const idempotency = createIdempotency(30_000);
  const save = (name: string, size: number, nowMs: number, keyId?: string) =>
    idempotency.save(tx, requestWith(name, keyId), 'hash', 201, { id: name, text: 'x'.repeat(size) }, nowMs);
  const find = (name: string, nowMs: number, keyId?: string) =>
    idempotency.find(tx, requestWith(name, keyId), 'hash', nowMs);

  await save('large', 15_000, 1000);
  await save('too much', 15_000, 1000);
  await save('small', 500, 1000);
  await save('of another', 15_000, 1000, 'key_2');
  await save('on another day', 15_000, DAY_MS + 1000);
  expect(await find('large', 2000)).toMatchObject(responseWith('large'));
  expect(await find('small', 2000)).toMatchObject(responseWith('small'));
  expect(await find('of another', 2000, 'key_2')).toMatchObject(responseWith('of another'));
  expect(await find('on another day', DAY_MS + 2000)).toMatchObject(responseWith('on another day'));
  await expect(find('too much', 2000)).rejects.toMatchObject({
    code: 'CONFLICT',
    details: { reason: 'answer_not_kept', status: 201 },
  });
});
