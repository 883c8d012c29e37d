/**
 * The player's idea of the time. Many boxes have no clock battery and boot in 2013, and some clocks are set by
 * hand, so the system clock is only the first guess: once the cloud has told the time, the monotonic clock
 * carries it on, and steps of the system clock do not matter any more.
 */
export interface TimeState {
  /** Corrected wall time at `atMonoMs`, both in milliseconds. */
  readonly wallMs: number;
  readonly atMonoMs: number;
  /** System clock at `atMonoMs`. */
  readonly systemMs: number;
  /** The cloud has told the time since the start. */
  readonly confirmed: boolean;
}

/** No box with this player can truly live before it was written. */
export const EARLIEST_MS = Date.UTC(2026, 0, 1);

/** By how much the second reading sets the clock beside the first, in milliseconds. */
export const stepBetween = (before: TimeState, after: TimeState): number =>
  wallAt(after, after.atMonoMs) - wallAt(before, after.atMonoMs);

/** A step of the system clock that is larger than this is a correction, and no drift. */
const STEP_MS = 2_000;

/** The first guess: the system clock, but never below the last good time. */
export function startTime(systemMs: number, monoMs: number, lastGoodMs: number | null): TimeState {
  return {
    wallMs: Math.max(systemMs, lastGoodMs ?? 0),
    atMonoMs: monoMs,
    systemMs,
    confirmed: false,
  };
}

export const wallAt = (state: TimeState, monoMs: number): number => state.wallMs + (monoMs - state.atMonoMs);

/**
 * Looks at the system clock again. Until the cloud has told the time, a step forward is believed (NTP has set
 * the clock, or the box slept) and a step back is not.
 */
export function observeSystem(state: TimeState, systemMs: number, monoMs: number): TimeState {
  const carried = wallAt(state, monoMs);
  if (state.confirmed || systemMs - carried < STEP_MS) return state;
  return { ...state, wallMs: systemMs, atMonoMs: monoMs, systemMs };
}

/**
 * The cloud said `serverMs`, and its answer took at most `roundTripMs` to arrive: the true time is between the
 * two, and the estimate moves into that interval by the shortest way.
 */
export function learnServerTime(
  state: TimeState,
  serverMs: number,
  roundTripMs: number,
  systemMs: number,
  monoMs: number,
): TimeState {
  const carried = wallAt(state, monoMs);
  const wallMs = Math.min(Math.max(carried, serverMs), serverMs + roundTripMs);
  return { wallMs, atMonoMs: monoMs, systemMs, confirmed: true };
}
