import { compileSchedules } from '@placard/schedule';
import type { CompiledSchedules } from '@placard/schedule';
import type { ManifestInputs } from './manifest-builder.ts';

/** Uses the zone tables that are part of the manifests, so that cloud and players agree. */
const compileInputs = ({ timezone, timezones, schedules }: ManifestInputs) =>
  compileSchedules({ timezone, schedules, zones: timezones.zones });

/**
 * Compiles schedules and caches the last result, because many devices are queried while nothing changes. Changed
 * inputs are always a new object.
 */
export function createScheduleCompiler(
  compile: (inputs: ManifestInputs) => CompiledSchedules = compileInputs,
): (inputs: ManifestInputs) => CompiledSchedules {
  let cached: { inputs: ManifestInputs; schedules: CompiledSchedules } | null = null;
  return (inputs) => {
    if (cached?.inputs !== inputs) {
      cached = { inputs, schedules: compile(inputs) };
    }
    return cached.schedules;
  };
}
