import { expect, test } from 'vitest';
import { createManualClock } from '../../../test/support/manual-clock.ts';
import { createRecordingLog } from '../../../test/support/recording-log.ts';
import { createSeededRandom } from '../../../test/support/seeded-random.ts';
import { runServices } from './supervisor.ts';
import type { Service } from './supervisor.ts';

function setUp() {
  const clock = createManualClock();
  const log = createRecordingLog();
  const stop = new AbortController();
  const starts: number[] = [];
  const start = (...services: Service[]) => {
    let ended = false;
    const done = runServices(services, { clock, random: createSeededRandom(), log }, stop.signal).then(
      () => (ended = true),
    );
    return { done, ended: () => ended };
  };
  return { clock, log, stop, starts, start };
}

const untilStopped = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

test('a failing service is restarted with increasing backoff while the others keep running', async () => {
  const { clock, log, stop, starts, start } = setUp();
  let beats = 0;
  const { done } = start(
    {
      name: 'broken',
      run() {
        starts.push(clock.monoMs());
        return Promise.reject(new Error('no'));
      },
    },
    {
      name: 'sound',
      async run(signal) {
        while (!signal.aborted) {
          beats += 1;
          await clock.sleep(1_000, signal);
        }
      },
    },
  );
  await clock.advance(600_000);
  expect(beats).toBeGreaterThanOrEqual(600);
  const gaps = starts.slice(1).map((at, index) => at - starts[index]!);
  expect(gaps.length).toBeGreaterThan(8);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(60_000);
  expect(gaps.at(-1)!).toBeGreaterThan(gaps[0]!);
  expect(log.events.filter((one) => one.event === 'service.failed')).toHaveLength(starts.length);
  stop.abort();
  await clock.advance(1);
  await done;
});

test('a service that fails after a stable run is restarted soon', async () => {
  const { clock, stop, starts, start } = setUp();
  const ended: number[] = [];
  const { done } = start({
    name: 'now and then',
    async run(signal) {
      starts.push(clock.monoMs());
      await clock.sleep(starts.length > 12 ? 120_000 : 0, signal);
      ended.push(clock.monoMs());
      throw new Error('no');
    },
  });
  await clock.advance(3_600_000);
  const waits = starts.slice(1).map((at, index) => at - ended[index]!);
  expect(Math.max(...waits.slice(0, 11))).toBeGreaterThan(10_000);
  expect(waits.length).toBeGreaterThan(20);
  expect(Math.max(...waits.slice(12))).toBeLessThanOrEqual(1_000);
  stop.abort();
  await clock.advance(1);
  await done;
});

test('a service that has finished is not restarted', async () => {
  const { clock, starts, start } = setUp();
  const { done } = start({ name: 'once', run: async () => void starts.push(clock.monoMs()) });
  await done;
  await clock.advance(600_000);
  expect(starts).toHaveLength(1);
});

test('a stop ends all services at once', async () => {
  const { clock, stop, start } = setUp();
  const { ended } = start({ name: 'a', run: untilStopped }, { name: 'b', run: untilStopped });
  await clock.advance(1_000);
  expect(ended()).toBe(false);
  stop.abort();
  await clock.advance(1);
  expect(ended()).toBe(true);
});

test('a service that does not stop is logged after five seconds at most', async () => {
  const { clock, log, stop, start } = setUp();
  const { ended } = start({ name: 'stuck', run: () => new Promise(() => {}) });
  stop.abort();
  await clock.advance(4_999);
  expect(ended()).toBe(false);
  await clock.advance(2);
  expect(ended()).toBe(true);
  expect(log.events).toContainEqual({
    level: 'warn',
    event: 'service.stop_failed',
    details: { services: ['stuck'] },
  });
});
