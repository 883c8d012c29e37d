import type { RolloutCause } from '@placard/protocol/api';
import { DAY_MS, HOUR_MS } from './durations.ts';
import { countCompared, findRegression } from './rollout-comparison.ts';
import type { ComparedDevice, Regression } from './rollout-comparison.ts';

/** Hours after which the devices of a ring are compared, and once more at the end of the hold. */
const LOOK_HOURS: readonly number[] = [0, 1, 2, 4, 8, 16, 24, 48, 72, 96, 120, 144, 336];
/**
 * They are compared from then on that most have answered, so that the same hours count for all, and the first start of a version, which
 * is slow and raises faults that pass, does not.
 */
const SETTLING_MS = HOUR_MS;
const MAX_UNANSWERED = 0.2;
const MAX_SETTLING_MS = DAY_MS;
/** What stands in the way of the next ring may pass: shops are closed, the network is down. */
const PATIENT_MS = 2 * DAY_MS;

/** The current ring of a rollout. */
export interface RingState {
  /** When its last device was told, or up to two minutes before; null: none was. */
  toldAtMs: number | null;
  /** Since when its devices are compared; null: not yet. */
  observedFromMs: number | null;
  /** Looks that were taken, and the devices that the last one had. */
  looks: number;
  compared: number;
  holdHours: number;
  isLast: boolean;
}

/** Of the devices of a ring, without those that were removed. */
export interface RingCounts {
  chosen: number;
  /** Not told yet. */
  waiting: number;
  /** Of which nothing more is known than that they were told. */
  told: number;
  failed: number;
  /** Updated, and heard of in the last day. */
  alive: number;
}

export type RolloutStep =
  | { type: 'wait' }
  /** From now on the devices are compared. */
  | { type: 'observe' }
  /** Nothing is worse so far. */
  | { type: 'looked'; looks: number; compared: number }
  | { type: 'next_ring' }
  | { type: 'finish' }
  /** A person has to decide. */
  | { type: 'hold'; cause: RolloutCause }
  | { type: 'stop'; cause: RolloutCause };

/** When looks are due, in hours. The end of the hold is one, whatever the others are. */
export const lookHours = (holdHours: number): number[] => [
  ...LOOK_HOURS.filter((look) => look < holdHours),
  holdHours,
];

/** How many looks are due by now. */
export const dueLooks = (observedFromMs: number, holdHours: number, nowMs: number): number =>
  lookHours(holdHours).filter((look) => nowMs - observedFromMs >= look * HOUR_MS).length;

/**
 * What comes next. `broken`: what is known of updates that failed. `compare` reads the devices, which is done only when a look is
 * due. The last ring has nothing to be compared with.
 */
export async function decideStep(
  ring: RingState,
  counts: RingCounts,
  broken: Regression | null,
  nowMs: number,
  compare: () => Promise<readonly ComparedDevice[]>,
): Promise<RolloutStep> {
  if (broken) {
    return { type: 'stop', cause: broken.cause };
  }
  if (ring.isLast) {
    const isOver = ring.toldAtMs !== null && nowMs - ring.toldAtMs >= ring.holdHours * HOUR_MS;
    return counts.waiting === 0 && (counts.told === 0 || isOver) ? { type: 'finish' } : { type: 'wait' };
  }
  if (counts.chosen === 0) {
    return { type: 'next_ring' };
  }
  // Those that failed stay so, and the next ring needs more than half.
  if (counts.waiting === 0 && counts.failed * 2 >= counts.chosen) {
    return holdWithTooFew(counts);
  }
  if (ring.observedFromMs === null) {
    return hasSettled(ring, counts, nowMs) ? { type: 'observe' } : { type: 'wait' };
  }
  const looks = dueLooks(ring.observedFromMs, ring.holdHours, nowMs);
  if (looks > ring.looks) {
    const devices = await compare();
    const regression = findRegression(devices, lookHours(ring.holdHours).length);
    return regression
      ? { type: 'stop', cause: regression.cause }
      : { type: 'looked', looks, compared: countCompared(devices) };
  }
  return decideAtEnd(ring, counts, nowMs - ring.observedFromMs - ring.holdHours * HOUR_MS);
}

function hasSettled({ toldAtMs }: RingState, { chosen, waiting, told }: RingCounts, nowMs: number): boolean {
  // All were removed, or had the version, before their turn.
  const sinceToldMs = toldAtMs === null ? MAX_SETTLING_MS : nowMs - toldAtMs;
  return (
    waiting === 0 &&
    sinceToldMs >= SETTLING_MS &&
    (told <= chosen * MAX_UNANSWERED || sinceToldMs >= MAX_SETTLING_MS)
  );
}

const holdWithTooFew = ({ chosen, told, failed, alive }: RingCounts): RolloutStep => ({
  type: 'hold',
  cause: { type: 'too_few_updated', chosen, alive, failed, told },
});

function decideAtEnd({ compared }: RingState, counts: RingCounts, overMs: number): RolloutStep {
  const { chosen, alive } = counts;
  if (overMs < 0) {
    return { type: 'wait' };
  }
  if (alive * 2 > chosen && compared > 0) {
    return { type: 'next_ring' };
  }
  if (alive * 2 > chosen) {
    return { type: 'hold', cause: { type: 'nothing_compared' } };
  }
  return overMs < PATIENT_MS ? { type: 'wait' } : holdWithTooFew(counts);
}
