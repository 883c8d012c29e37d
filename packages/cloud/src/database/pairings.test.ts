import { expect, test } from 'vitest';
import { openTestDb } from '../../test/support/open-test-database.ts';
import { pairingRepository } from './pairings.ts';
import type { NewRow } from './schema.ts';

/** A time beyond 32 bits. */
const NOW = Date.UTC(2026, 0, 1);

test('pairing sessions are found by secret or address, evicted and expired', async () => {
  const db = await openTestDb();
  const pairings = pairingRepository(db);
  const session = (id: string, values: Partial<NewRow<'pairings'>>) =>
    pairings.insert({
      id,
      code: id,
      poll_token: 't',
      serial: 'S',
      address: 'near',
      secret_hash: null,
      request: '{}',
      created_at: NOW,
      expires_at: NOW + 10,
      interval: 5,
      device_id: null,
      ...values,
    });
  await session('a', {});
  await session('b', { address: 'far', created_at: NOW + 1 });
  await session('c', { created_at: NOW + 2 });
  await session('d', { secret_hash: 's', device_id: 'dev_1', expires_at: NOW });
  const find = async (secretHash: string | null, address: string, atMs: number) =>
    (await pairings.findActive({ serial: 'S', secretHash, address }, atMs))?.id;
  expect([
    await find(null, 'near', NOW),
    await find('s', 'any', NOW - 1),
    await find('s', 'any', NOW),
  ]).toEqual(['c', 'd', undefined]);
  expect(await pairings.countWaiting()).toBe(3);
  expect([await pairings.evictOldest(1), await pairings.evictOldest(1)]).toEqual([true, false]);
  expect(await pairings.findByCode('a')).toBeUndefined();
  expect(await pairings.deleteExpired(NOW, NOW)).toEqual([]);
  await pairings.end('dev_1');
  expect(await pairings.deleteExpired(NOW + 10, NOW)).toHaveLength(2);
});
