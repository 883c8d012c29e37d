import type { BlobInfo, BlobStore } from '../blob/blob-store.ts';
import type { Clock } from '../domain/clock.ts';
import type { Retention } from '../domain/retention.ts';
import type { Row } from '../store/schema.ts';
import type { Store, Work } from '../store/store.ts';
import type { Job } from './every.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export interface JobDeps {
  store: Store;
  blobs: BlobStore;
  clock: Clock;
  retention: Retention;
  /** Notes which devices have fallen silent. */
  sweepPresence: () => Promise<void>;
  notifyFinished: (work: Work, command: Row<'commands'>) => Promise<void>;
  wakeDispatcher: () => void;
}

/** What the cloud does by itself. */
export function createJobs(deps: JobDeps): Job[] {
  const { store, clock, retention, wakeDispatcher } = deps;
  const startedMs = clock.nowMs();
  return [
    { name: 'webhooks', everyMs: 5000, run: async () => wakeDispatcher() },
    {
      // Often enough that a crash loses little, seldom enough that it is no load.
      name: 'observation',
      everyMs: 15_000,
      run: () => store.presence.observe(startedMs, clock.nowMs()),
    },
    { name: 'presence', everyMs: 5000, run: deps.sweepPresence },
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
        // Needed only to know a sample that is sent again.
        await store.heartbeats.deleteSamplesReceivedBefore(nowMs - 7 * DAY_MS);
        await store.pairings.deleteExpired(nowMs - DAY_MS);
        await store.answers.deleteBefore(nowMs - DAY_MS);
        await store.webhooks.deleteFinishedBefore(nowMs - 30 * DAY_MS);
      },
    },
    { name: 'blobs', everyMs: HOUR_MS, run: () => collectBlobs(deps) },
  ];
}

async function expireCommands({ store, clock, notifyFinished }: JobDeps): Promise<void> {
  const nowMs = clock.nowMs();
  if ((await store.commands.overdue(nowMs)).length === 0) return;
  await store.transaction(async (work) => {
    for (const row of await work.commands.overdue(nowMs)) {
      const change = { status: 'expired' as const, finished_at: nowMs };
      await work.commands.update(row.id, change);
      await notifyFinished(work, { ...row, ...change });
    }
  });
}

/** A screen may still be fetching what was removed just now, which touched its file. */
const YOUNG_MS = HOUR_MS;

/** Removes bytes that no asset names any more. */
async function collectBlobs({ store, blobs, clock }: JobDeps): Promise<void> {
  const nowMs = clock.nowMs();
  const isYoung = (blob: BlobInfo) => blob.modifiedMs > nowMs - YOUNG_MS;
  for await (const blob of blobs.list()) {
    if (isYoung(blob)) continue;
    if (await store.assets.usesBlob(blob.sha256)) continue;
    // Again in a transaction, for uploads and removals are one each: a row that came is there, or its upload
    // still holds the file; for a row that went the file was touched.
    await store.transaction(async (work) => {
      if (await work.assets.usesBlob(blob.sha256)) return;
      const now = await blobs.find(blob.sha256);
      if (now && !isYoung(now)) blobs.removeUnlessHeld(blob.sha256);
    });
  }
}
