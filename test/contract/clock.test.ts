import { describe, expect, onTestFinished, test } from 'vitest';
import { createSystemClock } from '../../src/adapters/clock/system-clock.ts';
import type { Clock } from '../../src/core/ports.ts';
import { createManualClock } from '../support/manual-clock.ts';

/** A clock, and a function that lets time pass on it. */
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
  test('sleeps for the given time, by its own time', async () => {
    const { clock } = make();
    const [wall, mono] = [clock.wallMs(), clock.monoMs()];
    await clock.sleep(20, never);
    expect(clock.monoMs() - mono).toBeGreaterThanOrEqual(19);
    expect(clock.wallMs() - wall).toBeGreaterThanOrEqual(19);
  });

  test('wakes immediately and without an error when it is aborted', async () => {
    const { clock } = make();
    const stop = new AbortController();
    const slept = clock.sleep(2 ** 40, stop.signal);
    stop.abort();
    expect(await slept).toBe(undefined);
    expect(await clock.sleep(2 ** 40, stop.signal)).toBe(undefined);
  });

  test('does not wait for a time in the past', async () => {
    const { clock } = make();
    expect(await clock.sleep(-1, never)).toBe(undefined);
  });
});

test('the system clock starts at the last good time when its battery is empty, and follows the cloud', () => {
  const future = Date.UTC(2090, 0, 1);
  const clock = createSystemClock({ lastGoodMs: future });
  expect(clock.wallMs()).toBeGreaterThanOrEqual(future);
  clock.onServerTime(Date.UTC(2026, 10, 20), 0);
  expect(clock.wallMs() - Date.UTC(2026, 10, 20)).toBeLessThan(60_000);
});
