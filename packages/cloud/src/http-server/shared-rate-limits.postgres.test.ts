import { expect, inject, onTestFinished, test } from 'vitest';
import { openPostgresTestDb } from '../../test/support/postgres-databases.ts';
import { rateWindowRepository } from '../database/rate-windows.ts';
import { createRateLimiter } from '../domain/rate-limiter.ts';
import { createSharedRateLimiter } from './shared-rate-limits.ts';

test('the answers are those of the limiter in memory', async () => {
  const db = await openPostgresTestDb(inject('postgres')!, onTestFinished);
  const shared = createSharedRateLimiter(rateWindowRepository(db), 'requests', 60_000);
  const inMemory = createRateLimiter(60_000);
  const times = [0, 10, 20_500, 20_500, 59_999, 60_000, 60_010, 70_000, 200_000, 200_001];
  for (const nowMs of times) {
    expect(await shared.peek('a', 3, nowMs), `peek at ${nowMs}`).toEqual(inMemory.peek('a', 3, nowMs));
    expect(await shared.take('a', 3, nowMs), `take at ${nowMs}`).toEqual(inMemory.take('a', 3, nowMs));
  }
  // Other limiters and other limits count by themselves.
  const other = createSharedRateLimiter(rateWindowRepository(db), 'others', 60_000);
  expect(await other.take('a', 3, 200_001)).toMatchObject({ remaining: 2 });
  expect(await shared.take('a', 4, 200_001)).toMatchObject({ remaining: 3 });
});

test('a refusal is known without the database, until a request is allowed again', async () => {
  const db = await openPostgresTestDb(inject('postgres')!, onTestFinished);
  const windows = rateWindowRepository(db);
  const [first, second] = [1, 2].map(() => createSharedRateLimiter(windows, 'requests', 60_000));
  await first!.take('a', 2, 0);
  expect(first!.knownRefusal('a', 2, 0)).toBeNull();
  await second!.take('a', 2, 10);
  // The first has not asked since.
  expect(first!.knownRefusal('a', 2, 500)).toBeNull();
  expect(await first!.take('a', 2, 500)).toMatchObject({ allowed: false });
  for (const limiter of [first!, second!]) {
    expect(limiter.knownRefusal('a', 2, 500)).toEqual(await limiter.peek('a', 2, 500));
    expect(limiter.knownRefusal('a', 2, 60_000)).toBeNull();
    expect(limiter.knownRefusal('a', 2, -1_000_000), 'when the clock was set back').toBeNull();
  }
});
