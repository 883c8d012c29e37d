import { compileSchedules, evaluateSchedules, listSegments, rulesInOrder } from '@placard/schedule';
import type {
  CompiledSchedules,
  DeviceMembership,
  ScheduledRule,
  ScheduleEvaluation,
  TimelineSegment,
} from '@placard/schedule';
import type { LocalZone, SharedPart } from './device-classes.ts';
import { setMostRecent } from './lru-map.ts';
import { withZone } from './manifest-builder.ts';
import type { ManifestBuilder } from './manifest-builder.ts';
import type { ContentSchedule, ManifestContent } from './manifest-content.ts';

/** Classes of devices whose compiled schedules are kept. */
const MAX_COMPILED = 16;

/** Evaluates schedules in the cloud as players do, for devices of which each is targeted by few of all schedules. */
export function createScheduleEvaluator() {
  const compiledByPart = new Map<SharedPart, CompiledSchedules>();
  let ordered: { schedules: ManifestContent['schedules']; rules: readonly ScheduledRule[] } | null = null;

  const compileFor = (manifests: ManifestBuilder, device: DeviceMembership) => {
    const part = manifests.partOf(manifests.classOf(device));
    const compiled =
      compiledByPart.get(part) ??
      compile(manifests.content, manifests.schedulesTargeting(device), part.localZone);
    setMostRecent(compiledByPart, part, compiled, MAX_COMPILED);
    return { compiled, targeted: { ...device, base_playlist_id: part.basePlaylistId } };
  };

  return {
    /** What the device shows. Candidates are the rules of the schedules that target it. */
    evaluate(manifests: ManifestBuilder, device: DeviceMembership, atMs: number): ScheduleEvaluation {
      const { compiled, targeted } = compileFor(manifests, device);
      return evaluateSchedules(compiled, targeted, atMs);
    },
    /** What the device shows from `fromMs` until `toMs`, computed segment by segment. */
    segments(
      manifests: ManifestBuilder,
      device: DeviceMembership,
      fromMs: number,
      toMs: number,
    ): Iterable<TimelineSegment> {
      const { compiled, targeted } = compileFor(manifests, device);
      return listSegments(compiled, targeted, fromMs, toMs);
    },
    /** The rules of all active schedules in the order of their precedence. None is compiled for that. */
    activeRules({ schedules }: Pick<ManifestContent, 'schedules'>): readonly ScheduledRule[] {
      if (ordered?.schedules !== schedules) {
        const active = [...schedules.values()].flatMap(({ isActive, manifest }) =>
          isActive ? [manifest] : [],
        );
        ordered = { schedules, rules: rulesInOrder(active) };
      }
      return ordered.rules;
    },
  };
}

export type ScheduleEvaluator = ReturnType<typeof createScheduleEvaluator>;

/** Uses the zone tables that are part of the manifests, so that cloud and players agree. */
const compile = (
  { settings }: ManifestContent,
  schedules: readonly ContentSchedule[],
  localZone: LocalZone | null,
): CompiledSchedules =>
  compileSchedules({
    timezone: settings.timezone,
    local_timezone: localZone?.name ?? null,
    zones: withZone(settings.timezones, localZone).zones,
    schedules: schedules.map(({ manifest }) => manifest),
  });
