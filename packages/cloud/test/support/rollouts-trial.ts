import { createSeededRandom } from '../../../../test/support/seeded-random.ts';
import type { SeededRandom } from '../../../../test/support/seeded-random.ts';
import { logUniform } from './draws.ts';
import { drawFleet } from './simulated-fleet.ts';
import type { SimulatedDevice, SimulatedFleet } from './simulated-fleet.ts';
import { simulateRollout } from './simulated-rollout.ts';
import type { RegressedMeasure, SeededRegression, SimulatedOutcome } from './simulated-rollout.ts';

const HOLD_HOURS = 168;
/** Of all rings, with the time until they are told, have answered, and a person is asked. */
const MAX_HOURS = 3 * (HOLD_HOURS + 72);
const MIN_FLEET = 200;
/** Whoever has reported for so long has a week and more to be compared with. */
const STATED_PAST_DAYS = 10;
/** From a site of an hour ago to whatever is remembered. */
const PAST_DAYS: readonly number[] = [0.1, 0.3, 1, 3, STATED_PAST_DAYS, STATED_PAST_DAYS, 14];
/** Of the devices of a ring; the others are off, lost or could not update. */
const COMPARED_SHARE = 0.8;
const MEASURES: readonly RegressedMeasure[] = [
  'restarts',
  'faults',
  'dropped_frames',
  'start_time',
  'not_coming_back',
  'broken_update',
];

type FoundFrom = readonly (readonly [devices: number, size: number])[];

const COUNTED: FoundFrom = [
  [160, 2.2],
  [64, 3.5],
  [32, 6],
  [16, 10],
  [8, 30],
];
const SHARES: FoundFrom = [
  [80, 0.25],
  [16, 0.6],
  [8, 0.9],
];

/**
 * The smallest regression that is said to be found, by how many devices of the first ring are compared and have it; `docs/operations.md`
 * has the same. Of devices that do not come back, or go back to the version before: their share.
 */
const FOUND_FROM: Readonly<Record<RegressedMeasure, FoundFrom>> = {
  restarts: COUNTED,
  faults: COUNTED,
  dropped_frames: [
    [16, 2.2],
    [8, 3],
  ],
  start_time: [
    [24, 2.2],
    [12, 3],
  ],
  not_coming_back: SHARES,
  broken_update: SHARES,
};

interface TrialOptions {
  /** So many of a stated size and above, and as many of any size. */
  regressions: number;
  healthy: number;
  seed: number;
  maxFleet: number;
  onProgress?: (done: number) => void;
}

/** What became of rollouts of versions with a regression. */
const noOutcomes = { rollouts: 0, stoppedInFirstRing: 0, stoppedLater: 0, held: 0, notStopped: 0 };
type SizeClass =
  | 'stated size and above'
  | 'from half of it'
  | 'from a quarter of it'
  | 'less than a quarter of it'
  | 'too few devices in the first ring'
  | 'less than 10 days before';

/**
 * Rollouts of versions with a regression, at first of those that are said to be found, then of any, and of versions with none. Fleets, boards,
 * what devices have reported and when they answer are drawn at random.
 */
export async function rolloutsTrial({ regressions, healthy, seed, maxFleet, onProgress }: TrialOptions) {
  const bySize: Partial<Record<SizeClass, typeof noOutcomes>> = {};
  const missed: object[] = [];
  let largestShare = 0;
  for (let run = 0; run < 2 * regressions; run += 1) {
    const random = createSeededRandom(seed * 10_000 + run);
    const { fleet, regression, size } = drawRegression(run, {
      isStated: run < regressions,
      maxFleet,
      random,
    });
    const outcome = await simulateRollout({
      fleet,
      holdHours: HOLD_HOURS,
      regression,
      isContinued: false,
      random,
    });
    const counts = (bySize[size] ??= { ...noOutcomes });
    counts.rollouts += 1;
    counts[wordOf(outcome)] += 1;
    if (size === 'stated size and above') {
      largestShare = Math.max(largestShare, outcome.told / fleet.devices.length);
      if (wordOf(outcome) !== 'stoppedInFirstRing') {
        missed.push({ run, devices: fleet.devices.length, kinds: fleet.kinds.length, regression, outcome });
      }
    }
    onProgress?.(run + 1);
  }
  const stopped: SimulatedOutcome[] = [];
  let held = 0;
  for (let run = 0; run < healthy; run += 1) {
    const random = createSeededRandom(seed * 10_000 + 5000 + run);
    const outcome = await simulateRollout({
      fleet: draw({ pastDays: random.pick(PAST_DAYS), maxFleet, random }),
      holdHours: HOLD_HOURS,
      regression: null,
      isContinued: true,
      random,
    });
    held += outcome.causes.some(({ type }) => type === 'hold') ? 1 : 0;
    if (outcome.status === 'stopped') {
      stopped.push(outcome);
    }
    onProgress?.(2 * regressions + run + 1);
  }
  return {
    regressions: {
      ofStatedSize: bySize['stated size and above']?.rollouts ?? 0,
      missed,
      largestShare,
      bySize,
    },
    healthy: { rollouts: healthy, held, stopped },
  };
}

function wordOf({ status, ring }: SimulatedOutcome) {
  if (status === 'stopped') {
    return ring === 1 ? 'stoppedInFirstRing' : 'stoppedLater';
  }
  return status === 'held' ? 'held' : 'notStopped';
}

interface DrawOptions {
  isStated: boolean;
  maxFleet: number;
  random: SeededRandom;
}

/** A fleet, and a regression of the measure whose turn it is, on all devices or one kind. */
function drawRegression(run: number, { isStated, maxFleet, random }: DrawOptions) {
  const measure = MEASURES[run % MEASURES.length] ?? 'restarts';
  for (;;) {
    const pastDays = isStated ? STATED_PAST_DAYS : random.pick(PAST_DAYS);
    const fleet = draw({ pastDays, maxFleet, random });
    const kind = random.chance(0.4) ? random.pick(fleet.kinds).name : null;
    const smallest = smallestFound(fleet, measure, kind);
    if (!isStated || smallest !== null) {
      const drawn =
        smallest === null
          ? drawAny(measure, random)
          : isStated
            ? drawAbove(measure, smallest, random)
            : drawAround(measure, smallest, random);
      const regression: SeededRegression = { measure, size: drawn, kind };
      return { fleet, regression, size: classOf(regression, smallest, pastDays) };
    }
  }
}

/** Small fleets are as frequent as large ones. */
const draw = ({ pastDays, maxFleet, random }: Omit<DrawOptions, 'isStated'> & { pastDays: number }) =>
  drawFleet(Math.round(logUniform(MIN_FLEET, maxFleet, random)), { pastDays, hours: MAX_HOURS, random });

const isShare = (measure: RegressedMeasure): boolean =>
  measure === 'not_coming_back' || measure === 'broken_update';

const drawAbove = (measure: RegressedMeasure, smallest: number, random: SeededRandom): number =>
  isShare(measure) ? smallest + (1 - smallest) * random.next() : smallest * (1 + 2 * random.next() ** 2);
const usualOf = (measure: RegressedMeasure): number => (isShare(measure) ? 0 : 1);
const drawAround = (measure: RegressedMeasure, smallest: number, random: SeededRandom): number =>
  usualOf(measure) + (smallest - usualOf(measure)) * (0.05 + random.next());
const drawAny = (measure: RegressedMeasure, random: SeededRandom): number =>
  isShare(measure) ? 0.01 + 0.99 * random.next() : logUniform(1.2, 40, random);

/** Null: too few devices of the first ring have it. */
function smallestFound(fleet: SimulatedFleet, measure: RegressedMeasure, kind: string | null): number | null {
  const concerned = fleet.devices
    .slice(0, fleet.ringEnds[0])
    .filter((device) => (kind === null || device.kind === kind) && reports(device, measure));
  const compared = Math.floor(concerned.length * COMPARED_SHARE);
  return FOUND_FROM[measure].find(([least]) => compared >= least)?.[1] ?? null;
}

function reports({ countsStarts, playsVideo }: SimulatedDevice, measure: RegressedMeasure): boolean {
  if (measure === 'restarts' || measure === 'start_time') {
    return countsStarts;
  }
  return measure !== 'dropped_frames' || playsVideo;
}

function classOf({ measure, size }: SeededRegression, smallest: number | null, pastDays: number): SizeClass {
  if (smallest === null) {
    return 'too few devices in the first ring';
  }
  if (pastDays < STATED_PAST_DAYS) {
    return 'less than 10 days before';
  }
  const part = (size - usualOf(measure)) / (smallest - usualOf(measure));
  return part >= 1
    ? 'stated size and above'
    : part >= 0.5
      ? 'from half of it'
      : part >= 0.25
        ? 'from a quarter of it'
        : 'less than a quarter of it';
}
