import { expect, inject, onTestFinished, test } from 'vitest';
import { openPostgresTestDb } from '../../test/support/postgres-databases.ts';
import { nodeMessageRepository } from './node-messages.ts';

async function openMessages() {
  const db = await openPostgresTestDb(inject('postgres')!, onTestFinished);
  return { db, messages: nodeMessageRepository(db) };
}

test('messages are read in order, by each node from where it was', async () => {
  const { db, messages } = await openMessages();
  expect(await messages.lastSeq()).toBe(0);
  await messages.add('a', 'one', 1000);
  await messages.add('b', 'two', 2000);
  const [first, second] = (await messages.readAfter(0))!;
  expect([first, second]).toMatchObject([
    { node: 'a', body: 'one' },
    { node: 'b', body: 'two' },
  ]);
  expect(await messages.readAfter(first!.seq)).toEqual([second]);
  expect(await messages.readAfter(second!.seq)).toEqual([]);
  expect(await messages.lastSeq()).toBe(second!.seq);
  await expect(
    db.transaction().execute(async (trx) => {
      await nodeMessageRepository(trx).add('a', 'not committed', 3000);
      throw new Error('rolled back');
    }),
  ).rejects.toThrow('rolled back');
  expect(await messages.readAfter(second!.seq)).toEqual([]);
});

test('a node that was away for too long is told that messages are missing', async () => {
  const { messages } = await openMessages();
  for (const [body, atMs] of [
    ['one', 1000],
    ['two', 2000],
    ['three', 3000],
  ] as const) {
    await messages.add('a', body, atMs);
  }
  const [one, two] = (await messages.readAfter(0))!;
  await messages.deleteBefore(2000);
  expect(await messages.readAfter(one!.seq)).toBeNull();
  expect(await messages.readAfter(two!.seq)).toMatchObject([{ body: 'three' }]);
  // The newest stays, so that nodes which have read all of them miss none.
  await messages.deleteBefore(10_000);
  const last = await messages.lastSeq();
  expect(await messages.readAfter(last)).toEqual([]);
});
