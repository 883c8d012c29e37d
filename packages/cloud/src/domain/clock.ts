/** The cloud's source of time. Tests use a clock that they advance themselves. */
export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Calls `run` once after the delay. Returns a function that cancels the timer. */
  setTimer(delayMs: number, run: () => void): () => void;
}
