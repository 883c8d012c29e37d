/** Time, as the cloud sees it. Tests bring a clock that only moves when told. */
export interface Clock {
  /** Milliseconds since 1970. */
  nowMs(): number;
  /** Runs once after the delay; the answer cancels it. */
  setTimer(delayMs: number, run: () => void): () => void;
}
