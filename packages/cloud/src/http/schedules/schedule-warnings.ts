import { setImmediate } from 'node:timers/promises';
import type { RuleInput, ScheduleWarning } from '@placard/protocol/api';
import { checkRule } from '@placard/schedule';
import type { Target } from '@placard/schedule';
import { slicesOf } from '../../database/paging.ts';
import type { PlaylistVideoRow } from '../../database/playlists.ts';
import { toTimedRule } from '../../database/schedules.ts';
import type { CloudDatabase } from '../../database/cloud-database.ts';
import { checkRules } from '../../domain/check-rules.ts';
import { toIso } from '../../domain/iso-time.ts';
import { findNeverWinningRules } from '../../domain/never-winning-rules.ts';
import type { StoredRule } from '../../domain/schedule-rules.ts';
import { createYieldIfLong } from '../../event-loop/yield-if-long.ts';
import { findVideoWarnings } from '../video-warnings/find-video-warnings.ts';

type Source = Pick<
  CloudDatabase,
  'organization' | 'devices' | 'decoders' | 'playlists' | 'renditions' | 'manifestBuilder'
>;
/** Playlists whose videos are read at once: 40,000 items at most. */
const BATCH_PLAYLISTS = 20;

/** A schedule as it will be stored. */
interface NewSchedule {
  id: string;
  targets: readonly Target[];
  rules: readonly StoredRule[];
}

/**
 * Checks the rules of a schedule and returns the warnings; throws a validation error that lists every error. Runs before
 * the transaction because it is slow; uses the same schedule engine as the player.
 *
 * @param sent the rules of the request, null when they are to stay as they are
 * @param call `stores` are those that the person who asks is bound to
 */
export async function checkSchedule(
  database: Source,
  schedule: NewSchedule,
  sent: readonly RuleInput[] | null,
  call: { nowMs: number; stores: readonly string[] | undefined },
): Promise<ScheduleWarning[]> {
  const { nowMs, stores } = call;
  const { timezone } = await database.organization.get();
  const createdAt = (index: number) => toIso(schedule.rules[index]?.created_at ?? nowMs);
  const dated = (sent ?? []).map((rule, index) => ({ ...rule, created_at: createdAt(index) }));
  const warnings = await checkRules(dated, {
    check: (rule) => checkRule(rule, timezone),
    yieldToEventLoop: () => setImmediate(),
  });
  const { content } = await database.manifestBuilder();
  const rules = schedule.rules.map(toTimedRule);
  return [
    ...warnings,
    ...(await findNeverWinningRules({ ...schedule, rules }, content, nowMs, createYieldIfLong())),
    ...(await findMissingZones(database, schedule, timezone)),
    ...(await findUnplayable(database, schedule, stores)),
  ];
}

/** A warning when a rule is to be read in the zone of the store, and some devices have none. */
async function findMissingZones(
  { devices }: Source,
  { targets, rules }: NewSchedule,
  timezone: string,
): Promise<ScheduleWarning[]> {
  const index = rules.findIndex(({ local_time }) => local_time === 1);
  if (index < 0) {
    return [];
  }
  const yieldIfLong = createYieldIfLong();
  const reached = [...(await devices.findAllReached(targets, yieldIfLong))];
  const missing = await devices.countWithoutZone(reached, yieldIfLong);
  if (missing === 0) {
    return [];
  }
  const [which, verb] = missing === 1 ? ['device', 'is'] : ['devices', 'are'];
  return [
    {
      path: `rules.${index}.local_time`,
      message:
        `${missing} ${which} that this schedule reaches ${verb} in no store with a time zone: ` +
        `there, rules with local_time are read in the time zone of the organization, ${timezone}.`,
    },
  ];
}

/** Warnings of videos that devices which the schedule reaches cannot play. */
async function findUnplayable(
  database: Source,
  { targets, rules }: NewSchedule,
  stores: readonly string[] | undefined,
): Promise<ScheduleWarning[]> {
  const yieldIfLong = createYieldIfLong();
  const content: PlaylistVideoRow[] = [];
  for (const slice of slicesOf([...new Set(rules.map((rule) => rule.playlist_id))], BATCH_PLAYLISTS)) {
    for (const video of await database.playlists.listVideos(slice)) {
      content.push(video);
    }
    await yieldIfLong();
  }
  const warnings = await findVideoWarnings(database, {
    content,
    findDevices: (yields) => database.devices.findAllReached(targets, yields, stores),
  });
  return warnings.map((warning) => {
    const first = content.find(({ id }) => id === warning.content[0]?.id);
    const index = rules.findIndex((rule) => rule.playlist_id === first?.playlist_id);
    return { path: `rules.${index}.playlist_id`, ...warning };
  });
}
