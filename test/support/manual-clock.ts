import { setImmediate as macrotask } from 'node:timers/promises';
import type { Clock } from '../../src/core/ports.ts';
import { createTimerQueue } from './timer-queue.ts';

/** A clock that only moves when a test advances it. */
export interface ManualClock extends Clock {
  /**
   * Moves on, waking every sleeper at its exact time and in order; each gets some turns of the event loop before the next
   * one wakes.
   */
  advance(ms: number): Promise<void>;
  /** Moves on, in steps, until the condition holds; fails when it does not within `withinMs` of virtual time. */
  advanceUntil(condition: () => boolean, withinMs: number, stepMs?: number): Promise<void>;
  /** Sets the wall clock; the monotonic clock is not affected. */
  setWall(ms: number): void;
  /** Whether the cloud has confirmed the time; true by default. */
  isTimeConfirmed: boolean;
  /** Number of pending sleeps. */
  readonly sleeperCount: number;
}

/** Turns of the event loop after waking a sleeper. */
const EVENT_LOOP_TURNS = 4;

export function createManualClock(
  startMs = Date.UTC(2026, 10, 20, 12),
  eventLoopTurns = EVENT_LOOP_TURNS,
): ManualClock {
  let monoMs = 1_000;
  let wallOffset = startMs - monoMs;
  let confirmed = true;
  let stepMs = 0;
  const sleepers = createTimerQueue();

  const drainEventLoop = async () => {
    for (let i = 0; i < eventLoopTurns; i++) {
      await macrotask();
    }
  };

  async function advance(ms: number): Promise<void> {
    const untilMono = monoMs + ms;
    await drainEventLoop();
    for (let due = sleepers.takeDue(untilMono); due; due = sleepers.takeDue(untilMono)) {
      monoMs = Math.max(monoMs, due.atMs);
      due.run();
      await drainEventLoop();
    }
    monoMs = untilMono;
  }

  return {
    wallMs: () => Math.round(monoMs + wallOffset),
    monoMs: () => monoMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) {
          return resolve();
        }
        const wake = () => {
          cancel();
          signal.removeEventListener('abort', wake);
          resolve();
        };
        const cancel = sleepers.add(monoMs + Math.max(0, ms), wake);
        signal.addEventListener('abort', wake, { once: true });
      }),
    advance,
    async advanceUntil(condition, withinMs, stepMs = 100) {
      const deadline = monoMs + withinMs;
      while (!condition()) {
        if (monoMs >= deadline) {
          throw new Error(`the condition did not hold within ${withinMs} ms of virtual time`);
        }
        await advance(stepMs);
      }
    },
    setWall(ms) {
      stepMs += ms - monoMs - wallOffset;
      wallOffset = ms - monoMs;
    },
    get isTimeConfirmed() {
      return confirmed;
    },
    set isTimeConfirmed(value) {
      confirmed = value;
    },
    takeAdjustmentMs() {
      const taken = Math.round(stepMs);
      stepMs -= taken;
      return taken;
    },
    get sleeperCount() {
      return sleepers.size;
    },
  };
}
