/** Neighbouring classes differ by 5 %. */
const STEP = Math.log(1.05);
const LEAST_MS = 0.1;

/** Times by class of size: small enough to be sent to another process, and they can be added. */
export interface Times {
  count: number;
  maxMs: number;
  /** How many are in each class. */
  classes: Record<number, number>;
}

export const noTimes = (): Times => ({ count: 0, maxMs: 0, classes: {} });

/** Adds one time. */
export function addTime(times: Times, ms: number): void {
  const index = Math.ceil(Math.log(Math.max(ms, LEAST_MS) / LEAST_MS) / STEP);
  times.count += 1;
  times.maxMs = Math.max(times.maxMs, ms);
  times.classes[index] = (times.classes[index] ?? 0) + 1;
}

/** Adds the times of another process. */
export function addTimes(times: Times, others: Times): void {
  times.count += others.count;
  times.maxMs = Math.max(times.maxMs, others.maxMs);
  for (const [index, count] of Object.entries(others.classes)) {
    times.classes[Number(index)] = (times.classes[Number(index)] ?? 0) + count;
  }
}

/** The time that this share of all does not exceed, at most 5 % too high; null when there is none. */
export function quantileMs(times: Times, share: number): number | null {
  let before = 0;
  for (const [index, count] of Object.entries(times.classes).toSorted(([a], [b]) => Number(a) - Number(b))) {
    before += count;
    if (before >= times.count * share) {
      return Math.min(times.maxMs, LEAST_MS * Math.exp(Number(index) * STEP));
    }
  }
  return null;
}
