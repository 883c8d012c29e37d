import { DRY_RUN_DAYS } from '@placard/protocol/api';
import type { DryRun } from '@placard/protocol/api';
import type { TimelineSegment } from '@placard/schedule';
import type { CloudDatabase } from '../../database/cloud-database.ts';
import { explainShown } from '../../domain/active-schedule-explanation.ts';
import { toIso, toIsoOrNull } from '../../domain/iso-time.ts';
import type { ManifestContent } from '../../domain/manifest-content.ts';
import type { TimeSpan } from '../../domain/uptime.ts';
import type { DryRunner } from '../../http-server/commit-change.ts';
import { createConcurrencyLimit } from '../concurrency-limit.ts';
import { toComingSpan } from '../request-checks.ts';
import { compareContents } from './compare-contents.ts';

/** Concurrent dry runs per API key. */
const MAX_CONCURRENT_DRY_RUNS = 2;
/** 100,000 devices that are all reached in a way of their own take longer. */
const MAX_COMPARISON_MS = 5_000;

/** Executes a change, takes it back, and says what it would do to the screens. */
export function createDryRunner(
  database: Pick<CloudDatabase, 'dryRun' | 'devices'>,
  maxMs = MAX_COMPARISON_MS,
): DryRunner {
  const dryRuns = createConcurrencyLimit(MAX_CONCURRENT_DRY_RUNS, 'dry runs');
  return async (change, { query, caller, request, owner, nowMs }) => {
    const span = toComingSpan(query, nowMs, DRY_RUN_DAYS);
    return dryRuns.run({ actor: caller.actor, request }, async (signal) => {
      const { result, before, after } = await database.dryRun(change, { owner });
      if (!('data' in result)) {
        return result;
      }
      const compared = await compareContents(database, { before, after }, span, { maxMs, signal });
      const dry_run = presentDryRun(compared, { before, after }, span);
      return { data: Object.assign({}, result.data, { dry_run }), status: 200 };
    });
  };
}

function presentDryRun(
  compared: Awaited<ReturnType<typeof compareContents>>,
  { before, after }: Record<'before' | 'after', ManifestContent>,
  { fromMs, toMs }: TimeSpan,
): DryRun {
  const { counts, groups } = compared;
  return {
    from: toIso(fromMs),
    to: toIso(toMs),
    device_count: counts.devices,
    playlist_changes: counts.playlist_changes,
    content_changes: counts.content_changes,
    first_change: toIsoOrNull(compared.firstChangeMs),
    group_count: compared.groupCount,
    groups: groups.map((group) => ({
      device_count: group.deviceCount,
      devices: group.devices.map(({ id, name }) => ({ id, name })),
      change_count: group.changeCount,
      changes: group.changes.map((each) => ({
        start: toIso(each.fromMs),
        end: toIso(each.untilMs),
        kind: each.kind,
        before: presentShown(before, each.before),
        after: presentShown(after, each.after),
      })),
    })),
    unexamined_device_count: compared.unexamined,
  };
}

/** Short: the answer has very many. */
function presentShown(content: ManifestContent, shown: TimelineSegment) {
  const playlist = content.playlists.get(shown.playlist_id ?? '')?.manifest;
  return {
    source: shown.source,
    playlist: playlist ? { id: playlist.id, name: playlist.name } : null,
    schedule: shown.schedule,
    rule_id: shown.rule?.id ?? null,
    reason: explainShown(content, shown),
  };
}
