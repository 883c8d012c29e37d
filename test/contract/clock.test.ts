import { describe, expect, onTestFinished, test } from 'vitest';
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts';
import type { Clock } from '../../src/core/ports.ts';
import { createManualClock } from '../support/manual-clock.ts';

/** A clock, and something that makes its time pass. */
interface Subject {
  clock: Clock;
}

function system(): Subject {
  return { clock: createSystemClock({ lastGoodMs: null }) };
}

function manual(): Subject {
  const clock = createManualClock();
  const moving = setInterval(() => void clock.advance(10), 1);
  onTestFinished(() => clearInterval(moving));
  return { clock };
}

const never = new AbortController().signal;

describe.each([
  ['system', system],
  ['manual', manual],
])('the %s clock', (_, make) => {
  test('sleeps for as long as it is told, by its own time', async () => {
    const { clock } = make();
    const [wall, mono] = [clock.wall(), clock.mono()];
    await clock.sleep(20, never);
    expect(clock.mono() - mono).toBeGreaterThanOrEqual(19);
    expect(clock.wall() - wall).toBeGreaterThanOrEqual(19);
  });

  test('wakes at once, and without an error, when it is told to stop', async () => {
    const { clock } = make();
    const stop = new AbortController();
    const slept = clock.sleep(2 ** 40, stop.signal);
    stop.abort();
    expect(await slept).toBe(undefined);
    expect(await clock.sleep(2 ** 40, stop.signal)).toBe(undefined);
  });

  test('does not wait for what is past', async () => {
    const { clock } = make();
    expect(await clock.sleep(-1, never)).toBe(undefined);
  });
});

test('the system clock starts at the last good time when its battery is empty, and follows the cloud', () => {
  const future = Date.UTC(2090, 0, 1);
  const clock = createSystemClock({ lastGoodMs: future });
  expect(clock.wall()).toBeGreaterThanOrEqual(future);
  clock.learn(Date.UTC(2026, 10, 20), 0);
  expect(clock.wall() - Date.UTC(2026, 10, 20)).toBeLessThan(60_000);
});
