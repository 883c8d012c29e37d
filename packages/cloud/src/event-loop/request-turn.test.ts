import { setImmediate } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { nextRequestTurn } from './request-turn.ts';

/** The turn of the event loop in which each of ten requests ran that were waiting at the same time. */
async function turnsOfTen(work: () => void): Promise<number[]> {
  let turn = 0;
  const turns: number[] = [];
  const request = async () => {
    await nextRequestTurn();
    // Promise callbacks belong to the same turn.
    await Promise.resolve();
    turns.push(turn);
    work();
  };
  const all = Array.from({ length: 10 }, request);
  while (turns.length < all.length) {
    await setImmediate();
    turn += 1;
  }
  return turns;
}

function blockEventLoop(): void {
  const endMs = performance.now() + 3;
  while (performance.now() < endMs) {
    // Longer than requests may take together.
  }
}

test('short requests share a turn, long ones have one each', async () => {
  expect(new Set(await turnsOfTen(() => {})).size).toBe(1);
  expect(new Set(await turnsOfTen(blockEventLoop)).size).toBe(10);
});
