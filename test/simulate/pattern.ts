import { createSeededRandom } from '../support/seeded-random.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** What happens to a device. */
export type Disturbance =
  /** It is off for this long; its socket ends without a close frame. */
  | { kind: 'reboot'; offMs: number }
  /** Its socket ends without a close frame. */
  | { kind: 'line_cut' }
  /** The connection of its next HTTP request ends in the middle of the body. */
  | { kind: 'body_cut' }
  /** The cloud gets its next HTTP request, but the answer is lost. */
  | { kind: 'answer_lost' }
  /** Its clock is set: from now on it differs by this much from the true time. */
  | { kind: 'clock'; offsetMs: number };

/** What will happen to one device. */
export interface DevicePattern {
  /** What its clock differs by when it is switched on. */
  readonly clockOffsetMs: number;
  /** How long it played without a connection before it is switched on. */
  readonly offlineMs: number;
  /** The next disturbance, and how long after the one before. */
  next(): { afterMs: number; disturbance: Disturbance };
}

export interface PatternOptions {
  seed: number;
  /** Average time between two disturbances of a device. */
  meanMs: number;
  /** How long a device is off for a reboot, on average. */
  offMs: number;
}

/** Of a thousand devices. */
const WITH_WRONG_CLOCK = 30;
const BACK_AFTER_A_DAY = 5;
const OFFLINE_MS = 24 * HOUR_MS;
/** The cloud keeps samples by the minute for 7 days, and drops those more than a day ahead. */
const CLOCK_OFFSETS_MS = [
  -5 * 24 * HOUR_MS,
  -26 * HOUR_MS,
  -HOUR_MS,
  -90_000,
  90_000,
  HOUR_MS,
  11 * HOUR_MS,
] as const;

/** How often each kind happens, in relation to the others. */
const KINDS: readonly Disturbance['kind'][] = [
  'line_cut',
  'line_cut',
  'line_cut',
  'reboot',
  'reboot',
  'body_cut',
  'answer_lost',
  'clock',
];

/** The same seed and number give the same pattern. */
export function createPattern({ seed, meanMs, offMs }: PatternOptions, device: number): DevicePattern {
  const random = createSeededRandom(mix(seed, device));
  const wrongClock = () => (random.oneIn(3) ? 0 : random.pick(CLOCK_OFFSETS_MS));
  const disturbance = (): Disturbance => {
    const kind = random.pick(KINDS);
    switch (kind) {
      case 'reboot':
        return { kind, offMs: Math.round(offMs * (0.2 + 1.6 * random.next())) };
      case 'clock':
        return { kind, offsetMs: wrongClock() };
      case 'line_cut':
      case 'body_cut':
      case 'answer_lost':
        return { kind };
    }
    return kind satisfies never;
  };
  return {
    clockOffsetMs: random.below(1_000) < WITH_WRONG_CLOCK ? random.pick(CLOCK_OFFSETS_MS) : 0,
    offlineMs: random.below(1_000) < BACK_AFTER_A_DAY ? OFFLINE_MS : 0,
    // Exponential distribution: disturbances are independent of each other.
    next: () => ({ afterMs: -Math.log(1 - random.next()) * meanMs, disturbance: disturbance() }),
  };
}

/** Nothing happens. */
export const UNDISTURBED: DevicePattern = {
  clockOffsetMs: 0,
  offlineMs: 0,
  next: () => ({ afterMs: Number.POSITIVE_INFINITY, disturbance: { kind: 'line_cut' } }),
};

/** Neighbouring devices get unrelated numbers. */
export const mix = (seed: number, device: number): number =>
  Math.imul(seed ^ Math.imul(device + 1, 0x9e3779b1), 0x85ebca6b) >>> 0;
