import { setTimeout as delay } from 'node:timers/promises';
import type { Clock } from '../../core/ports.ts';
import {
  learnServerTime,
  observeSystemClock,
  initialTime,
  adjustmentBetween,
  wallMsAt,
} from '../../core/time/corrected-time.ts';
import type { CorrectedTime } from '../../core/time/corrected-time.ts';

/** Node fires a timer at once when its delay is longer than this. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const mono = () => performance.now();

export interface SystemClock extends Clock {
  /** The cloud sent its time in a response that took at most `roundTripMs` to arrive. */
  readonly onServerTime: (serverMs: number, roundTripMs: number) => void;
}

/** The clock of this device, corrected by server time and never earlier than the last good time. */
export function createSystemClock(deps: { lastGoodMs: number | null }): SystemClock {
  let state = initialTime(Date.now(), mono(), deps.lastGoodMs);
  let stepMs = 0;
  const set = (next: CorrectedTime) => {
    stepMs += adjustmentBetween(state, next);
    state = next;
  };
  return {
    monoMs: mono,
    get isTimeConfirmed() {
      return state.isConfirmed;
    },
    takeAdjustmentMs() {
      const taken = Math.round(stepMs);
      stepMs -= taken;
      return taken;
    },
    wallMs() {
      const monoMs = mono();
      set(observeSystemClock(state, Date.now(), monoMs));
      return Math.round(wallMsAt(state, monoMs));
    },
    async sleep(ms, signal) {
      if (signal.aborted) {
        return;
      }
      await delay(Math.min(Math.max(0, ms), MAX_TIMER_MS), undefined, { signal }).catch(() => undefined);
    },
    onServerTime(serverMs, roundTripMs) {
      set(learnServerTime(state, serverMs, roundTripMs, Date.now(), mono()));
    },
  };
}
