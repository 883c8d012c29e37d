import { DRY_RUN_DAYS } from '@placard/protocol/api';
import type { DryRun } from '@placard/protocol/api';
import type { TimelineSegment } from '@placard/schedule';
import type { CloudDatabase } from '../../database/cloud-database.ts';
import { explainShown } from '../../domain/active-schedule-explanation.ts';
import { toIso, toIsoOrNull } from '../../domain/iso-time.ts';
import type { ManifestContent } from '../../domain/manifest-content.ts';
import type { TimeSpan } from '../../domain/uptime.ts';
import { createYieldIfLong } from '../../event-loop/yield-if-long.ts';
import type { DryRunner } from '../../http-server/commit-change.ts';
import { createConcurrencyLimit } from '../concurrency-limit.ts';
import { toComingSpan } from '../request-checks.ts';
import { compareContents } from './compare-contents.ts';

/** Concurrent dry runs per API key. */
const MAX_CONCURRENT_DRY_RUNS = 2;
/** 100,000 devices that are all reached in a way of their own take longer. */
const MAX_COMPARISON_MS = 5_000;
/** Shorter than usual: a request of others waits for some turns. */
const MAX_TURN_MS = 2;

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
      return { json: await toJson(result.data, compared, { before, after }, span), status: 200 };
    });
  };
}

type Compared = Awaited<ReturnType<typeof compareContents>>;

/** What the change would answer, with `dry_run`: made in short turns of the event loop, because the groups can be megabytes. */
async function toJson(
  data: unknown,
  compared: Compared,
  contents: Record<'before' | 'after', ManifestContent>,
  { fromMs, toMs }: TimeSpan,
): Promise<Buffer[]> {
  const yieldIfLong = createYieldIfLong(MAX_TURN_MS);
  const { counts, groups } = compared;
  const summary: Omit<DryRun, 'groups'> = {
    from: toIso(fromMs),
    to: toIso(toMs),
    device_count: counts.devices,
    playlist_changes: counts.playlist_changes,
    content_changes: counts.content_changes,
    first_change: toIsoOrNull(compared.firstChangeMs),
    group_count: compared.groupCount,
    unexamined_device_count: compared.unexamined,
  };
  const withoutEnd = JSON.stringify(Object.assign({}, data, { dry_run: summary })).slice(0, -'}}'.length);
  const parts = [Buffer.from(`${withoutEnd},"groups":[`)];
  for (const [index, group] of groups.entries()) {
    parts.push(Buffer.from(`${index === 0 ? '' : ','}${JSON.stringify(presentGroup(group, contents))}`));
    await yieldIfLong();
  }
  return [...parts, Buffer.from(']}}')];
}

const presentGroup = (
  group: Compared['groups'][number],
  { before, after }: Record<'before' | 'after', ManifestContent>,
): DryRun['groups'][number] => ({
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
});

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
