import { compileSchedules } from '@placard/schedule';
import type { CompiledSchedules } from '@placard/schedule';
import type { World } from './manifest.ts';

/** With the clocks that manifests hold, so that cloud and screens answer alike. */
const compileWorld = ({ timezone, timezones, schedules }: World) =>
  compileSchedules({ timezone, schedules, zones: timezones.zones });

/**
 * Compiles the schedules of a world, and keeps the last ones: many devices are asked about while nothing
 * changes. A changed world is another object.
 */
export function createScheduleCompiler(
  compile: (world: World) => CompiledSchedules = compileWorld,
): (world: World) => CompiledSchedules {
  let held: { world: World; schedules: CompiledSchedules } | null = null;
  return (world) => {
    if (held?.world !== world) held = { world, schedules: compile(world) };
    return held.schedules;
  };
}
