import { expect, test } from 'vitest';
import { createLookUp } from './look-up.ts';

test('what is asked for in a turn of the event loop is one statement; meanwhile, the next one', async () => {
  const statements: string[][] = [];
  const answer = Promise.withResolvers<void>();
  const find = createLookUp(async (keys) => {
    statements.push([...keys]);
    await answer.promise;
    return new Map(
      keys.filter((key) => key !== 'unknown').map((key) => [key, `${key} ${statements.length}`]),
    );
  });
  const first = ['a', 'b', 'a', 'unknown'].map(find);
  while (statements.length === 0) {
    await new Promise(setImmediate);
  }
  const second = ['a', 'c'].map(find);
  answer.resolve();
  expect(await Promise.all(first)).toEqual(['a 1', 'b 1', 'a 1', undefined]);
  expect(await Promise.all(second), 'read after it was asked').toEqual(['a 2', 'c 2']);
  expect(statements).toEqual([
    ['a', 'b', 'unknown'],
    ['a', 'c'],
  ]);
});

test('a statement that fails does so for all of its keys, and the next one is executed', async () => {
  let isDown = true;
  const find = createLookUp(async (keys) => {
    if (isDown) {
      throw new Error('down');
    }
    return new Map(keys.map((key) => [key, key]));
  });
  const failed = await Promise.allSettled(['a', 'b'].map(find));
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isDown = false;
  expect(await find('a')).toBe('a');
});
