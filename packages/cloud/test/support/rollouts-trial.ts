import { createSeededRandom } from '../../../../test/support/seeded-random.ts';
import type { SeededRandom } from '../../../../test/support/seeded-random.ts';
import { KINDS, simulateRollout } from './simulated-rollout.ts';
import type { RegressedMeasure, SeededRegression, SimulatedOutcome } from './simulated-rollout.ts';

const HOLD_HOURS = 168;
const MIN_FLEET = 200;
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

/**
 * The smallest regression that is certain to be found, by how many devices of the first ring have it; `docs/operations.md` has the same.
 * Of devices that do not come back, or go back to the version before: their share.
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
  not_coming_back: [
    [80, 0.25],
    [16, 0.6],
    [8, 0.9],
  ],
  broken_update: [
    [80, 0.25],
    [16, 0.6],
    [8, 0.9],
  ],
};

interface TrialOptions {
  regressions: number;
  healthy: number;
  seed: number;
  maxFleet: number;
  onProgress?: (done: number) => void;
}

/** Rollouts of versions with a regression that is certain to be found, or larger; and of versions with none. */
export async function rolloutsTrial({ regressions, healthy, seed, maxFleet, onProgress }: TrialOptions) {
  const random = createSeededRandom(seed);
  const missed: object[] = [];
  let largestShare = 0;
  let stoppedInFirstRing = 0;
  const byMeasure: Record<string, number> = {};
  for (let run = 0; run < regressions; run += 1) {
    const { fleet, regression } = seedRegression(run, maxFleet, random);
    const outcome = simulateRollout({
      fleet,
      holdHours: HOLD_HOURS,
      rings: 1,
      regression,
      random: createSeededRandom(seed * 10_000 + run),
    });
    const share = (outcome.stoppedAt ?? fleet) / fleet;
    if (outcome.stoppedAt === null || share > 0.01) {
      missed.push({ run, fleet, regression });
    } else {
      stoppedInFirstRing += 1;
      largestShare = Math.max(largestShare, share);
      byMeasure[regression.measure] = (byMeasure[regression.measure] ?? 0) + 1;
    }
    onProgress?.(run + 1);
  }
  const stopped: SimulatedOutcome[] = [];
  for (let run = 0; run < healthy; run += 1) {
    const outcome = simulateRollout({
      fleet: pickFleet(MIN_FLEET, maxFleet, random),
      holdHours: HOLD_HOURS,
      rings: 2,
      regression: null,
      random: createSeededRandom(seed * 10_000 + regressions + run),
    });
    if (outcome.stoppedAt !== null) {
      stopped.push(outcome);
    }
    onProgress?.(regressions + run + 1);
  }
  return {
    regressions: { rollouts: regressions, stoppedInFirstRing, largestShare, byMeasure, missed },
    healthy: { rollouts: healthy, stopped },
  };
}

/** A regression of the measure whose turn it is, on all devices or one kind, from the smallest size that is certain to be found up. */
function seedRegression(run: number, maxFleet: number, random: SeededRandom) {
  const measure = MEASURES[run % MEASURES.length] ?? 'restarts';
  for (;;) {
    const fleet = pickFleet(MIN_FLEET, maxFleet, random);
    const kind = random.chance(0.4) ? random.pick(KINDS) : null;
    const devices = Math.floor((fleet / 100) * (kind?.share ?? 1) * 0.8);
    const [, smallest] = FOUND_FROM[measure].find(([least]) => devices >= least) ?? [];
    if (smallest !== undefined) {
      const size =
        measure === 'not_coming_back' || measure === 'broken_update'
          ? smallest + (1 - smallest) * random.next()
          : smallest * (1 + 2 * random.next() ** 2);
      const regression: SeededRegression = { measure, size, kind: kind?.name ?? null };
      return { fleet, regression };
    }
  }
}

/** Small fleets are as frequent as large ones. */
const pickFleet = (min: number, max: number, random: SeededRandom): number =>
  Math.round(Math.exp(Math.log(min) + (Math.log(max) - Math.log(min)) * random.next()));
