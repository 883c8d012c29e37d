import { setImmediate } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { nextRequestTurn, requestTurn } from './request-turn.ts';

/** Stops the clock that turns are measured by, at 0; returns how to move it. */
function stopClock(): { advance: (ms: number) => void } {
  let nowMs = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => nowMs);
  onTestFinished(() => void vi.restoreAllMocks());
  return { advance: (ms) => void (nowMs += ms) };
}

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

test('short requests share a turn, long ones have one each', async () => {
  const clock = stopClock();
  expect(new Set(await turnsOfTen(() => {})).size).toBe(1);
  expect(new Set(await turnsOfTen(() => clock.advance(3))).size).toBe(10);
});

/** The turn of a request, and the one that it sees after it has waited for something else. */
async function turnOfRequest() {
  await nextRequestTurn();
  const before = requestTurn();
  await Promise.resolve();
  expect(requestTurn()).toBe(before);
  await setImmediate();
  return { turn: before, later: requestTurn() };
}

test('requests that share a turn see its number, which is over with the last of them', async () => {
  stopClock();
  expect(requestTurn()).toBeNull();
  const [first, second] = await Promise.all([turnOfRequest(), turnOfRequest()]);
  expect(first.turn).not.toBeNull();
  expect(second).toEqual(first);
  expect(first.later).toBeNull();
  const another = await turnOfRequest();
  expect(another.turn).toBeGreaterThan(first.turn ?? 0);
});
