import type { RolloutCause, RolloutMeasure } from '@placard/protocol/api';

const MEASURES: Readonly<Record<RolloutMeasure, { name: string; describe: (value: number) => string }>> = {
  restarts: { name: 'Restarts', describe: (value) => `${toText(value)} per day` },
  faults: { name: 'Faults', describe: (value) => `${toText(value)} per day` },
  dropped_frames: { name: 'Dropped frames', describe: (value) => `${toText(value * 100)} %` },
  start_time: { name: 'The time of a start', describe: (value) => `${toText(value / 1000)} s` },
};

/** A node of the version before also presents what a newer one has stored. */
const measureOf = (measure: RolloutMeasure) =>
  Object.hasOwn(MEASURES, measure) ? MEASURES[measure] : { name: measure, describe: toText };

/** Says why a rollout of a version is held, was stopped, or has finished without a device. */
export function describeCause(cause: RolloutCause, version: string): string {
  switch (cause.type) {
    case 'stopped_by_hand':
      return `Stopped by ${cause.name}.`;
    case 'worse': {
      const { name, describe } = measureOf(cause.measure);
      return (
        `${name}${cause.kind === null ? '' : ` on ${cause.kind}`} went from ${describe(cause.before)} to ${describe(cause.after)} ` +
        `(of ${cause.updated} updated screens); on ${cause.others} others: ${describe(cause.others_before)} before, ` +
        `${describe(cause.others_after)} now.`
      );
    }
    case 'not_coming_back':
      return (
        `${cause.silent} of ${cause.told} screens${ofKind(cause.kind)} did not come back after they were told to update; ` +
        `of ${cause.others} that were not told, ${cause.others_silent} are silent.`
      );
    case 'broken_update':
      return (
        `On ${cause.broken} of ${cause.answered} screens${ofKind(cause.kind)} the new version could not be installed or did not become healthy; ` +
        'they run the version before.'
      );
    case 'nothing_compared':
      return (
        'Nothing could be compared in this ring: too few of its screens, or of the others, have reported enough before and after. ' +
        'Look at them, then continue or stop.'
      );
    case 'too_few_updated':
      return (
        `Only ${cause.alive} of the ${cause.chosen} screens of this ring run the new version and were online in the last day ` +
        `(${cause.failed} could not update, of ${cause.told} nothing is known): look at them, then continue or stop.`
      );
    case 'nothing_older':
      return `No device that it reaches has a version older than ${version}.`;
    default:
      return `The cause is \`${typeOf(cause)}\`, which this version of the cloud does not know.`;
  }
}

const typeOf = ({ type }: { type: string }): string => type;

const ofKind = (kind: string | null): string => (kind === null ? '' : ` (${kind})`);

/** Two significant digits, and never `0.00001`. */
const toText = (value: number): string =>
  value >= 10 ? String(Math.round(value)) : String(Number(value.toPrecision(value < 0.095 ? 1 : 2)));
