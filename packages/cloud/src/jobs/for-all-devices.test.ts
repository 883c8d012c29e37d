import { expect, test, vi } from 'vitest';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { openTestDatabase } from '../../test/support/open-test-database.ts';
import { forAllDevices } from './for-all-devices.ts';

/** Starts three transactions of 10 ms each. */
async function start() {
  const clock = createManualClock(0);
  const pauses: number[] = [];
  const recordingClock = {
    ...clock,
    setTimer(ms: number, run: () => void) {
      pauses.push(ms);
      return clock.setTimer(ms, run);
    },
  };
  const database = await openTestDatabase();
  const stopping = new AbortController();
  const transactions: number[] = [];
  const finished = forAllDevices({ database, clock: recordingClock }, stopping.signal, async (_tx, after) => {
    transactions.push(after);
    clock.advance(10);
    return after < 50 ? after + 25 : null;
  });
  return {
    clock,
    stopping,
    transactions,
    finished,
    untilPaused: (times: number) => vi.waitFor(() => expect(pauses).toHaveLength(times)),
    pauses,
  };
}

test('after each transaction it pauses for three times as long, and not after the last one', async () => {
  const { clock, transactions, finished, untilPaused, pauses } = await start();
  await untilPaused(1);
  expect(transactions).toEqual([0]);
  clock.advance(30);
  await untilPaused(2);
  expect(transactions).toEqual([0, 25]);
  clock.advance(30);
  expect(await finished).toBe(true);
  expect(transactions).toEqual([0, 25, 50]);
  expect(pauses).toEqual([30, 30]);
});

test('when it is stopped it ends during a pause', async () => {
  const { stopping, transactions, finished, untilPaused } = await start();
  await untilPaused(1);
  stopping.abort();
  expect(await finished).toBe(false);
  expect(transactions).toEqual([0]);
});
