import { compileSchedules } from '@placard/schedule';
import type { CompiledSchedules } from '@placard/schedule';
import type { ManifestContent } from './manifest-content.ts';

type ScheduleContent = Pick<ManifestContent, 'settings' | 'schedules'>;

/** Uses the zone tables that are part of the manifests, so that cloud and players agree. */
const compileContent = ({ settings, schedules }: ScheduleContent) =>
  compileSchedules({
    timezone: settings.timezone,
    zones: settings.timezones.zones,
    schedules: [...schedules.values()].flatMap(({ isActive, manifest }) => (isActive ? [manifest] : [])),
  });

/**
 * Compiles schedules and caches the last result, because many devices are queried while no schedule changes. Changed
 * schedules are always a new object.
 */
export function createScheduleCompiler(
  compile: (content: ScheduleContent) => CompiledSchedules = compileContent,
): (content: ScheduleContent) => CompiledSchedules {
  let cached: { content: ScheduleContent; compiled: CompiledSchedules } | null = null;
  return (content) => {
    const { settings, schedules } = content;
    if (cached?.content.settings !== settings || cached.content.schedules !== schedules) {
      cached = { content: { settings, schedules }, compiled: compile(content) };
    }
    return cached.compiled;
  };
}
