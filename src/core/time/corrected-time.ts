/**
 * The player's estimate of the time. Many devices have no clock battery and boot in 2013, and some clocks are set by
 * hand, so the system clock is only the first estimate: once the cloud has sent the time, the monotonic clock
 * continues it, and steps of the system clock no longer matter.
 */
export interface CorrectedTime {
  /** Corrected wall time at `atMonoMs`, both in milliseconds. */
  readonly wallMs: number;
  readonly atMonoMs: number;
  /** System clock at `atMonoMs`. */
  readonly systemMs: number;
  /** The cloud has sent the time since the start. */
  readonly isConfirmed: boolean;
}

/** No device can run this player before it was written. */
export const EARLIEST_PLAUSIBLE_MS = Date.UTC(2026, 0, 1);

/** How far `after` is ahead of `before` at the same instant, in milliseconds. */
export const adjustmentBetween = (before: CorrectedTime, after: CorrectedTime): number =>
  wallMsAt(after, after.atMonoMs) - wallMsAt(before, after.atMonoMs);

/** A larger step of the system clock is a correction, not drift. */
const STEP_MS = 2_000;

/** The first estimate: the system clock, but never below the last good time. */
export function initialTime(systemMs: number, monoMs: number, lastGoodMs: number | null): CorrectedTime {
  return {
    wallMs: Math.max(systemMs, lastGoodMs ?? 0),
    atMonoMs: monoMs,
    systemMs,
    isConfirmed: false,
  };
}

export const wallMsAt = (state: CorrectedTime, monoMs: number): number =>
  state.wallMs + (monoMs - state.atMonoMs);

/**
 * Reads the system clock again. Until the cloud has sent the time, a forward step is accepted (NTP has set the clock,
 * or the machine was suspended) and a backward step is not.
 */
export function observeSystemClock(state: CorrectedTime, systemMs: number, monoMs: number): CorrectedTime {
  const predictedMs = wallMsAt(state, monoMs);
  if (state.isConfirmed || systemMs - predictedMs < STEP_MS) {
    return state;
  }
  return { ...state, wallMs: systemMs, atMonoMs: monoMs, systemMs };
}

/**
 * The cloud's time was `serverMs`, and its response took at most `roundTripMs`: the true time is between `serverMs`
 * and `serverMs + roundTripMs`, and the estimate moves into that interval by the shortest way.
 */
export function learnServerTime(
  state: CorrectedTime,
  serverMs: number,
  roundTripMs: number,
  systemMs: number,
  monoMs: number,
): CorrectedTime {
  const predictedMs = wallMsAt(state, monoMs);
  const wallMs = Math.min(Math.max(predictedMs, serverMs), serverMs + roundTripMs);
  return { wallMs, atMonoMs: monoMs, systemMs, isConfirmed: true };
}
