import type { RolloutMeasure } from '@placard/protocol/api';
import { sumOf } from './chance.ts';
import type { HealthTotals } from './device-health.ts';

/** What a device reported before its ring began, and since the ring is observed. */
export interface BeforeAndAfter {
  before: Readonly<HealthTotals>;
  after: Readonly<HealthTotals>;
}

export interface MeasureOfRollout {
  name: RolloutMeasure;
  /** How much worse each device has become, in an order of its own; null for one that has not reported enough. */
  changesOf: (devices: readonly BeforeAndAfter[]) => (number | null)[];
  /** The value of some devices together; null when none has reported it. */
  valueOf: (totals: readonly Readonly<HealthTotals>[]) => number | null;
  /** How much was counted of it. */
  countOf: (totals: Readonly<HealthTotals>) => number;
}

const MINUTES_PER_DAY = 24 * 60;
/** With less before the update, a device is not compared. */
const MIN_MINUTES_BEFORE = 6 * 60;
const MIN_MINUTES_AFTER = 20;
/** So many days of the mean of all are added to what each device reported before: one event in a week says little. */
const SHRINKING_DAYS = 3;
const MIN_FRAMES = 1000;
const PRIOR_FRAMES = 10_000;

interface Amount {
  count: number;
  exposure: number;
}

/** The logarithm of how often something happened beside how often it was to be expected from the device itself. */
function changesOfRate(
  amountOf: (totals: Readonly<HealthTotals>) => Amount,
  { minBefore, minAfter, shrinking }: { minBefore: number; minAfter: number; shrinking: number },
): MeasureOfRollout['changesOf'] {
  return (devices) => {
    const pairs = devices.map(({ before, after }) => {
      const pair = { before: amountOf(before), after: amountOf(after) };
      return pair.before.exposure >= minBefore && pair.after.exposure >= minAfter ? pair : null;
    });
    const known = pairs.flatMap((pair) => pair ?? []);
    const mean =
      sumOf(known.map(({ before }) => before.count)) /
      Math.max(sumOf(known.map(({ before }) => before.exposure)), 1);
    return pairs.map((pair) => {
      if (!pair) {
        return null;
      }
      const { before, after } = pair;
      const rate = (before.count + mean * shrinking) / (before.exposure + shrinking);
      return Math.log((after.count + 0.5) / (after.exposure * rate + 0.5));
    });
  };
}

const faults = (totals: Readonly<HealthTotals>): Amount => ({
  count: totals.faults,
  exposure: totals.minutes / MINUTES_PER_DAY,
});
const starts = (totals: Readonly<HealthTotals>): Amount => ({
  count: totals.starts,
  exposure: totals.countedMinutes / MINUTES_PER_DAY,
});
const dropped = (totals: Readonly<HealthTotals>): Amount => ({
  count: totals.dropped,
  exposure: totals.frames,
});
const logMsOfStart = ({ pictures, logMs }: Readonly<HealthTotals>): number | null =>
  pictures > 0 ? logMs / pictures : null;

const rateOf =
  (amountOf: (totals: Readonly<HealthTotals>) => Amount): MeasureOfRollout['valueOf'] =>
  (all) => {
    const amounts = all.map(amountOf);
    const exposure = sumOf(amounts.map((each) => each.exposure));
    return exposure > 0 ? sumOf(amounts.map(({ count }) => count)) / exposure : null;
  };

const perDay = {
  minBefore: MIN_MINUTES_BEFORE / MINUTES_PER_DAY,
  minAfter: MIN_MINUTES_AFTER / MINUTES_PER_DAY,
  shrinking: SHRINKING_DAYS,
};

export const MEASURES_OF_ROLLOUT: readonly MeasureOfRollout[] = [
  {
    name: 'restarts',
    changesOf: changesOfRate(starts, perDay),
    valueOf: rateOf(starts),
    countOf: (totals) => starts(totals).count,
  },
  {
    name: 'faults',
    changesOf: changesOfRate(faults, perDay),
    valueOf: rateOf(faults),
    countOf: (totals) => faults(totals).count,
  },
  {
    name: 'dropped_frames',
    changesOf: changesOfRate(dropped, {
      minBefore: MIN_FRAMES,
      minAfter: MIN_FRAMES,
      shrinking: PRIOR_FRAMES,
    }),
    countOf: (totals) => dropped(totals).count,
    valueOf: rateOf(dropped),
  },
  {
    name: 'start_time',
    countOf: ({ pictures }) => pictures,
    changesOf: (devices) =>
      devices.map(({ before, after }) => {
        const [old, now] = [logMsOfStart(before), logMsOfStart(after)];
        return old === null || now === null ? null : now - old;
      }),
    /** The geometric mean of the means of the devices. */
    valueOf(all) {
      const logs = all.flatMap((totals) => logMsOfStart(totals) ?? []);
      return logs.length > 0 ? Math.exp(sumOf(logs) / logs.length) : null;
    },
  },
];
