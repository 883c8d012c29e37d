import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../core/ports.ts';
import {
  learnServerTime,
  observeSystem,
  startTime,
  stepBetween,
  wallAt,
  type TimeState,
} from '../../core/time/corrected-time.ts';

/** Timers of Node fire at once when they are set for longer than this. */
const LONGEST_TIMER_MS = 2 ** 31 - 1;

const mono = () => performance.now();

export interface SystemClock extends Clock {
  /** The cloud told the time in an answer that took at most `roundTripMs` to arrive. */
  readonly learn: (serverMs: number, roundTripMs: number) => void;
}

/** The clock of this box, corrected by what the cloud tells and never below the last good time. */
export function createSystemClock(deps: { lastGoodMs: number | null }): SystemClock {
  let state = startTime(Date.now(), mono(), deps.lastGoodMs);
  let stepMs = 0;
  const set = (next: TimeState) => {
    stepMs += stepBetween(state, next);
    state = next;
  };
  return {
    mono,
    get confirmed() {
      return state.confirmed;
    },
    takeStep() {
      const taken = Math.round(stepMs);
      stepMs -= taken;
      return taken;
    },
    wall() {
      const monoMs = mono();
      set(observeSystem(state, Date.now(), monoMs));
      return Math.round(wallAt(state, monoMs));
    },
    async sleep(ms, signal) {
      if (signal.aborted) return;
      await delay(Math.min(Math.max(0, ms), LONGEST_TIMER_MS), undefined, { signal }).catch(() => undefined);
    },
    learn(serverMs, roundTripMs) {
      set(learnServerTime(state, serverMs, roundTripMs, Date.now(), mono()));
    },
  };
}
