import { expect, test } from 'vitest';
import { retryConflicts } from './retry-conflicts.ts';

const failing = (code: string, times: number, constraint?: string) => {
  let attempts = 0;
  return retryConflicts(async () => {
    attempts += 1;
    if (attempts <= times) {
      throw Object.assign(new Error(`attempt ${attempts}`), { code, constraint });
    }
    return attempts;
  });
};

test('a transaction that was rolled back because of others is run again, at most twice', async () => {
  expect(await failing('40P01', 1)).toBe(2);
  expect(await failing('40001', 2)).toBe(3);
  await expect(failing('40P01', 3)).rejects.toThrow('attempt 3');
});

test('any other error is not', async () => {
  await expect(failing('23505', 1)).rejects.toThrow('attempt 1');
  await expect(failing('23514', 1, 'play_outcome')).rejects.toThrow('attempt 1');
});
