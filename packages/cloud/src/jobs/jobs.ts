import type { Logger } from 'pino';
import type { BlobStore } from '../blob/blob-store.ts';
import type { Clock } from '../domain/clock.ts';
import type { DiskState } from '../domain/disk-state.ts';
import type { EndedCodes } from '../domain/ended-codes.ts';
import type { Retention } from '../domain/retention.ts';
import { zoneYear } from '../domain/zone-table.ts';
import type { DiskWatch } from '../store/disk-watch.ts';
import type { FolderLock } from '../store/folder-lock.ts';
import type { Row } from '../store/schema.ts';
import type { Store, Work } from '../store/store.ts';
import { collectBlobs, YOUNG_MS } from './collect-blobs.ts';
import type { Inspector } from '../media/inspector.ts';
import { deleteDeliveries } from './delete-deliveries.ts';
import type { Job } from './every.ts';
import { expireCommands } from './expire-commands.ts';
import { createThumbnailJob } from './thumbnails.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface JobDeps {
  store: Store;
  blobs: BlobStore;
  clock: Clock;
  retention: Retention;
  endedCodes: EndedCodes;
  media: Inspector;
  log: Logger;
  /** Ends connections that are late. */
  sweepConnections: () => void;
  /** Notes which devices have fallen silent. */
  sweepPresence: () => Promise<void>;
  notifyFinished: (work: Work, command: Row<'commands'>) => Promise<void>;
  wakeDispatcher: () => void;
  disk: Pick<DiskWatch, 'look' | 'report'>;
  lock: Pick<FolderLock, 'check'>;
  /** Called when a full disk takes writes again. */
  roomAgain: () => Promise<void>;
  /** Writes down when keys were used. */
  writeLastUsed: () => Promise<void>;
  /** Writes down what the rate limits have counted. */
  writeLimits: () => Promise<void>;
  /** Derives every manifest anew. */
  newRevisions: () => Promise<void>;
}

/** What the cloud does by itself. */
export function createJobs(deps: JobDeps): Job[] {
  const { store, clock, retention, wakeDispatcher } = deps;
  const startedMs = clock.nowMs();
  let tablesFor = zoneYear(startedMs);
  return [
    {
      name: 'webhooks',
      everyMs: 5000,
      async run() {
        // What cannot be noted as sent would be sent again and again.
        if (deps.disk.report().state !== 'full') wakeDispatcher();
      },
    },
    { name: 'deliveries', everyMs: 60_000, run: () => deleteDeliveries(deps) },
    { name: 'disk', everyMs: 5000, run: createDiskJob(deps) },
    // A crash forgets no more than this.
    { name: 'limits', everyMs: 2000, run: deps.writeLimits },
    { name: 'lock', everyMs: 5000, run: async () => checkLock(deps) },
    {
      name: 'zone-tables',
      everyMs: HOUR_MS,
      async run() {
        const year = zoneYear(clock.nowMs());
        if (year === tablesFor) return;
        await deps.newRevisions();
        tablesFor = year;
      },
    },
    { name: 'last-used', everyMs: 60_000, run: deps.writeLastUsed },
    {
      // Often enough that a crash loses little, seldom enough that it is no load.
      name: 'observation',
      everyMs: 15_000,
      run: () => store.presence.observe(startedMs, clock.nowMs()),
    },
    { name: 'presence', everyMs: 5000, run: deps.sweepPresence },
    { name: 'connections', everyMs: 5000, run: async () => deps.sweepConnections() },
    {
      name: 'pairings',
      everyMs: 15_000,
      async run() {
        const nowMs = clock.nowMs();
        deps.endedCodes.add(await store.pairings.deleteExpired(nowMs, nowMs - DAY_MS), nowMs);
      },
    },
    { name: 'commands', everyMs: 5000, run: () => expireCommands(deps) },
    {
      name: 'retention',
      everyMs: HOUR_MS,
      async run() {
        const nowMs = clock.nowMs();
        await store.heartbeats.deleteBefore('minute', nowMs - retention.minuteDays * DAY_MS);
        await store.heartbeats.deleteBefore('hour', nowMs - retention.hourDays * DAY_MS);
        await store.heartbeats.deleteBefore('day', nowMs - retention.dayDays * DAY_MS);
        await store.plays.deleteBefore(nowMs - retention.playDays * DAY_MS);
        await store.presence.deleteBefore(nowMs - retention.playDays * DAY_MS);
        // Needed only to know a sample that is sent again.
        await store.heartbeats.deleteSamplesReceivedBefore(nowMs - 7 * DAY_MS);
        await store.answers.deleteBefore(nowMs - DAY_MS);
        await store.commands.deleteBefore(nowMs - retention.auditDays * DAY_MS);
        await store.transaction((work) => work.audit.deleteBefore(nowMs - retention.auditDays * DAY_MS), {
          frees: true,
        });
      },
    },
    { name: 'blobs', everyMs: HOUR_MS, run: () => collectBlobs(deps, YOUNG_MS) },
    { name: 'thumbnails', everyMs: 60_000, run: createThumbnailJob(deps) },
  ];
}

function checkLock({ lock, log }: JobDeps): void {
  const found = lock.check();
  if (found === 'renewed')
    log.warn({ event: 'lock.renewed' }, 'cloud.lock was deleted; it keeps a second cloud out again');
  if (found === 'lost')
    log.error(
      { event: 'lock.lost' },
      'cloud.lock was deleted, and another cloud has taken the data folder: stop one of the two',
    );
}

/** Looks at the disk; makes what room it can when there is little, and catches up when there is some again. */
function createDiskJob(deps: JobDeps): () => Promise<void> {
  let last: DiskState = deps.disk.report().state;
  let collected = false;
  return async () => {
    const before = last;
    if (before === 'full') await deps.store.shrinkJournal();
    last = deps.disk.look();
    if (before === 'full' && last !== 'full') await deps.roomAgain();
    if (last !== 'ok' && !collected) await collectBlobs(deps, 0);
    collected = last !== 'ok';
  };
}
