import { setImmediate as macrotask } from 'node:timers/promises';
import type { Clock } from '../../src/core/ports.ts';

interface Sleeper {
  atMono: number;
  order: number;
  wake(): void;
}

/** Time that stands still until a test moves it. */
export interface ManualClock extends Clock {
  /**
   * Moves on, waking every sleeper at its exact instant and in order; what it starts gets its turn before the next
   * one wakes.
   */
  advance(ms: number): Promise<void>;
  /** Moves on, in steps, until the condition holds; fails when it does not within `withinMs` of virtual time. */
  advanceUntil(condition: () => boolean, withinMs: number, stepMs?: number): Promise<void>;
  /** Sets the wall clock; the monotonic one goes on as before. */
  setWall(ms: number): void;
  /** Whether the cloud has told the time; true unless a test says otherwise. */
  confirmed: boolean;
  /** How many wait. */
  readonly sleepers: number;
}

/** Turns of the event loop given to what a wake-up has started. */
const TURNS = 4;

export function createManualClock(startMs = Date.UTC(2026, 10, 20, 12), turns = TURNS): ManualClock {
  let monoMs = 1_000;
  let wallOffset = startMs - monoMs;
  let count = 0;
  let confirmed = true;
  let stepMs = 0;
  const sleepers = new Set<Sleeper>();

  const settle = async () => {
    for (let i = 0; i < turns; i++) await macrotask();
  };
  const next = (untilMono: number): Sleeper | null => {
    let first: Sleeper | null = null;
    for (const sleeper of sleepers) {
      if (sleeper.atMono > untilMono) continue;
      const before =
        first === null ||
        sleeper.atMono < first.atMono ||
        (sleeper.atMono === first.atMono && sleeper.order < first.order);
      if (before) first = sleeper;
    }
    return first;
  };

  async function advance(ms: number): Promise<void> {
    const untilMono = monoMs + ms;
    await settle();
    for (let sleeper = next(untilMono); sleeper; sleeper = next(untilMono)) {
      monoMs = Math.max(monoMs, sleeper.atMono);
      sleeper.wake();
      await settle();
    }
    monoMs = untilMono;
  }

  return {
    wall: () => Math.round(monoMs + wallOffset),
    mono: () => monoMs,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        if (signal.aborted) return resolve();
        const wake = () => {
          sleepers.delete(sleeper);
          signal.removeEventListener('abort', wake);
          resolve();
        };
        const sleeper: Sleeper = { atMono: monoMs + Math.max(0, ms), order: count++, wake };
        sleepers.add(sleeper);
        signal.addEventListener('abort', wake, { once: true });
      }),
    advance,
    async advanceUntil(condition, withinMs, stepMs = 100) {
      const deadline = monoMs + withinMs;
      while (!condition()) {
        if (monoMs >= deadline) throw new Error(`not so within ${withinMs} ms of virtual time`);
        await advance(stepMs);
      }
    },
    setWall(ms) {
      stepMs += ms - monoMs - wallOffset;
      wallOffset = ms - monoMs;
    },
    get confirmed() {
      return confirmed;
    },
    set confirmed(value) {
      confirmed = value;
    },
    takeStep() {
      const taken = Math.round(stepMs);
      stepMs -= taken;
      return taken;
    },
    get sleepers() {
      return sleepers.size;
    },
  };
}
