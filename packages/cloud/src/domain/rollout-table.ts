import type { RolloutComparison } from '@placard/protocol/api';
import { groupByKind, measureKind, valuesOf } from './rollout-comparison.ts';
import type { ComparedDevice } from './rollout-comparison.ts';
import { kindFields } from './rollout-kind.ts';
import { MEASURES_OF_ROLLOUT } from './rollout-measures.ts';

/** What the devices of each kind report before and after, of which some are updated; most devices first. */
export function tabulateKinds(devices: readonly ComparedDevice[]): RolloutComparison['kinds'] {
  return [...groupByKind(devices)]
    .map(([kind, own]) => {
      const reporting = own.filter(({ health }) => health !== null);
      const updated = reporting.filter(({ isTold }) => isTold).length;
      return {
        ...kindFields(kind),
        updated,
        others: reporting.length - updated,
        measures: MEASURES_OF_ROLLOUT.flatMap((measure) => {
          const measured = measureKind(measure, kind, own);
          if (!measured) {
            return [];
          }
          const others = valuesOf(measure, measured.others);
          return [
            {
              measure: measure.name,
              ...valuesOf(measure, measured.updated),
              others_before: others.before,
              others_after: others.after,
            },
          ];
        }),
      };
    })
    .filter(({ updated }) => updated > 0)
    .toSorted((a, b) => b.updated - a.updated);
}
