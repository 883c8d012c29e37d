import { expect, test } from 'vitest';
import { createManualClock } from '../../test/support/manual-clock.ts';
import { createSeededRandom } from '../../test/support/player-box.ts';
import { createQuietLog } from '../../test/support/quiet-log.ts';
import { createBell } from './bell.ts';
import { supervise, type Service } from './supervisor.ts';

function house() {
  const clock = createManualClock();
  const log = createQuietLog();
  const stop = new AbortController();
  const begun: number[] = [];
  const start = (...services: Service[]) => {
    let ended = false;
    const done = supervise(services, { clock, random: createSeededRandom(), log }, stop.signal).then(
      () => (ended = true),
    );
    return { done, ended: () => ended };
  };
  return { clock, log, stop, begun, start };
}

const untilStopped = (signal: AbortSignal) =>
  new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));

test('a service that fails is run again, later and later, and the others go on', async () => {
  const { clock, log, stop, begun, start } = house();
  let beats = 0;
  const { done } = start(
    {
      name: 'broken',
      run() {
        begun.push(clock.mono());
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
  const gaps = begun.slice(1).map((at, index) => at - begun[index]!);
  expect(gaps.length).toBeGreaterThan(8);
  expect(Math.max(...gaps)).toBeLessThanOrEqual(60_000);
  expect(gaps.at(-1)!).toBeGreaterThan(gaps[0]!);
  expect(log.events.filter((one) => one.event === 'service.failed')).toHaveLength(begun.length);
  stop.abort();
  await clock.advance(1);
  await done;
});

test('a service that fails after it has run well is run again soon', async () => {
  const { clock, stop, begun, start } = house();
  const ended: number[] = [];
  const { done } = start({
    name: 'now and then',
    async run(signal) {
      begun.push(clock.mono());
      await clock.sleep(begun.length > 12 ? 120_000 : 0, signal);
      ended.push(clock.mono());
      throw new Error('no');
    },
  });
  await clock.advance(3_600_000);
  const waits = begun.slice(1).map((at, index) => at - ended[index]!);
  expect(Math.max(...waits.slice(0, 11))).toBeGreaterThan(10_000);
  expect(waits.length).toBeGreaterThan(20);
  expect(Math.max(...waits.slice(12))).toBeLessThanOrEqual(1_000);
  stop.abort();
  await clock.advance(1);
  await done;
});

test('a service that has done its work is left alone', async () => {
  const { clock, begun, start } = house();
  const { done } = start({ name: 'once', run: async () => void begun.push(clock.mono()) });
  await done;
  await clock.advance(600_000);
  expect(begun).toHaveLength(1);
});

test('a stop ends all of them at once', async () => {
  const { clock, stop, start } = house();
  const { ended } = start({ name: 'a', run: untilStopped }, { name: 'b', run: untilStopped });
  await clock.advance(1_000);
  expect(ended()).toBe(false);
  stop.abort();
  await clock.advance(1);
  expect(ended()).toBe(true);
});

test('a service that does not stop is named, and waited for no longer than five seconds', async () => {
  const { clock, log, stop, start } = house();
  const { ended } = start({ name: 'deaf', run: () => new Promise(() => {}) });
  stop.abort();
  await clock.advance(4_999);
  expect(ended()).toBe(false);
  await clock.advance(2);
  expect(ended()).toBe(true);
  expect(log.events).toContainEqual({ level: 'warn', event: 'service.stuck', facts: { services: ['deaf'] } });
});

test('a bell that rings while nobody waits is heard by the next one, once', async () => {
  const clock = createManualClock();
  const bell = createBell(clock);
  const { signal } = new AbortController();
  bell.ring();
  bell.ring();
  await bell.wait(1_000_000, signal);
  let heard = false;
  const waiting = bell.wait(1_000, signal).then(() => (heard = true));
  await clock.advance(999);
  expect(heard).toBe(false);
  await clock.advance(1);
  await waiting;
  expect(clock.sleepers).toBe(0);
});
