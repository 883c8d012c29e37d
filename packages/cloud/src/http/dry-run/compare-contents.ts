import { targetOfKey } from '@placard/schedule';
import type { TimelineSegment } from '@placard/schedule';
import type { CloudDatabase } from '../../database/cloud-database.ts';
import { slicesOf } from '../../database/paging.ts';
import { addChange, createChangeGroups, emptyChanges } from '../../domain/change-groups.ts';
import type { ClassChanges } from '../../domain/change-groups.ts';
import { createManifestBuilder } from '../../domain/manifest-builder.ts';
import type { ManifestContent } from '../../domain/manifest-content.ts';
import { createReachedDevices } from '../../domain/reached-devices.ts';
import type { Builders, ReachedAlike } from '../../domain/reached-devices.ts';
import { createScheduleEvaluator } from '../../domain/schedule-evaluator.ts';
import {
  changedTargetKeys,
  compareTimelines,
  playlistsWithOtherContent,
  withBasePlaylist,
} from '../../domain/shown-changes.ts';
import type { TimeSpan } from '../../domain/uptime.ts';
import { createYieldIfLong } from '../../event-loop/yield-if-long.ts';

/** Devices that are read at once: about 2 ms. */
const BATCH_DEVICES = 300;
/** Shorter than usual: a request of others waits for some turns. */
const MAX_TURN_MS = 2;

type YieldIfLong = () => Promise<void>;

export interface ComparisonLimits {
  /** Most milliseconds for the comparison; devices that are not reached by then remain unexamined. */
  maxMs: number;
  signal: AbortSignal;
}

/** What devices would show differently in a span of time, in short turns of the event loop. */
export async function compareContents(
  database: Pick<CloudDatabase, 'devices'>,
  { before, after }: Record<'before' | 'after', ManifestContent>,
  span: TimeSpan,
  { maxMs, signal }: ComparisonLimits,
) {
  const beganMs = performance.now();
  const yieldIfLong = createYieldIfLong(MAX_TURN_MS);
  // With classes of their own: those of the manifests in use keep their parts. Nobody asks for revisions.
  const builders = {
    before: createManifestBuilder(before, (text) => text),
    after: createManifestBuilder(after, (text) => text),
  };
  const reached = await readReached(database, builders, changedTargetKeys(before, after), yieldIfLong);
  const otherContent = playlistsWithOtherContent(before, after);
  const timelinesOf = createTimelines(builders, span, yieldIfLong);
  const groups = createChangeGroups();
  let unexamined = 0;
  for (const alike of reached) {
    let timelines: Record<'before' | 'after', TimelineSegment[]> | null = null;
    for (const { devices, ...bases } of alike.byBase.values()) {
      if (signal.aborted || performance.now() - beganMs > maxMs) {
        unexamined += devices.length;
      } else {
        timelines ??= await timelinesOf(alike);
        groups.add(devices, await compare(timelines, bases, otherContent, yieldIfLong));
      }
    }
  }
  return { ...groups.summary(), unexamined };
}

/** The devices that the targets reach, those first that are many. */
async function readReached(
  database: Pick<CloudDatabase, 'devices'>,
  builders: Builders,
  targetKeys: readonly string[],
  yieldIfLong: YieldIfLong,
): Promise<ReachedAlike[]> {
  const reached = createReachedDevices(builders);
  const found = await database.devices.findAllReached(targetKeys.map(targetOfKey), yieldIfLong);
  for (const ids of slicesOf([...found], BATCH_DEVICES)) {
    for (const device of await database.devices.findManifestDevices(ids)) {
      reached.add(device);
      await yieldIfLong();
    }
  }
  return reached.list();
}

/** Returns a function that computes both timelines of devices that are reached alike. */
function createTimelines(builders: Builders, { fromMs, toMs }: TimeSpan, yieldIfLong: YieldIfLong) {
  const collect = async (segments: Iterable<TimelineSegment>) => {
    const collected: TimelineSegment[] = [];
    for (const segment of segments) {
      collected.push(segment);
      await yieldIfLong();
    }
    return collected;
  };
  const [before, after] = [createScheduleEvaluator(), createScheduleEvaluator()];
  return async ({ sample }: ReachedAlike) => ({
    before: await collect(before.segments(builders.before, sample, fromMs, toMs)),
    after: await collect(after.segments(builders.after, sample, fromMs, toMs)),
  });
}

async function compare(
  { before, after }: Record<'before' | 'after', TimelineSegment[]>,
  bases: Record<'before' | 'after', string | null>,
  otherContent: ReadonlySet<string>,
  yieldIfLong: YieldIfLong,
): Promise<ClassChanges> {
  const changes = emptyChanges();
  const spans = compareTimelines(
    withBasePlaylist(before, bases.before),
    withBasePlaylist(after, bases.after),
    (id) => otherContent.has(id),
  );
  for (const change of spans) {
    if (change) {
      addChange(changes, change);
    }
    await yieldIfLong();
  }
  return changes;
}
