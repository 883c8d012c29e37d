import { DAY_MS, HOUR_MS } from '../domain/durations.ts';
import type { DiskState } from '../domain/disk-state.ts';
import { RESENT_MS } from '../domain/retention.ts';
import { SESSION_IDLE_MS } from '../domain/session-lifetime.ts';
import { zoneTableYear } from '../domain/zone-table.ts';
import { rollUpEnd } from '../database/sample-roll-up.ts';
import { deleteUnusedBlobs, MIN_UNUSED_AGE_MS } from './delete-unused-blobs.ts';
import { deleteOldAuditEntries, deleteOldEvents, deleteOldOperations } from './delete-old-rows.ts';
import { deleteOldDeliveries } from './delete-deliveries.ts';
import { deleteExpiredUploads, deleteUnknownUploads } from './delete-uploads.ts';
import type { Job } from './job-runner.ts';
import type { JobDeps } from './deps.ts';
import { expireCommands } from './expire-commands.ts';
import { forAllDevices } from './for-all-devices.ts';
import { measureScreenshots } from './measure-screenshots.ts';
import { createThumbnailJob } from './thumbnails.ts';
import { readVideoDetails } from './video-details.ts';
import { createWantedRenditions } from './want-renditions.ts';

/** How long invitations that nobody can accept any more are kept. */
const INVITATION_HISTORY_MS = 30 * DAY_MS;

export function createCloudJobs(deps: JobDeps): Job[] {
  const { database, clock, retention, wakeDispatcher } = deps;
  let tableYear = zoneTableYear(clock.nowMs());
  return [
    {
      name: 'webhooks',
      isForLeader: true,
      intervalMs: 5000,
      async run() {
        // Deliveries that cannot be marked as sent would be sent again and again.
        if (deps.disk.status().state !== 'full') {
          wakeDispatcher();
        }
      },
    },
    { name: 'operations', intervalMs: 5000, isForLeader: true, run: async () => deps.wakeOperations() },
    { name: 'old-operations', intervalMs: 60_000, isForLeader: true, run: () => deleteOldOperations(deps) },
    // Events of other nodes, of which heartbeats tell nobody.
    { name: 'events', intervalMs: 1000, run: async () => deps.eventStreams.wake() },
    { name: 'event-streams', intervalMs: 15_000, run: deps.eventStreams.keepAlive },
    { name: 'old-events', intervalMs: 60_000, isForLeader: true, run: () => deleteOldEvents(deps) },
    { name: 'deliveries', intervalMs: 60_000, isForLeader: true, run: () => deleteOldDeliveries(deps) },
    { name: 'disk', intervalMs: 5000, run: createDiskJob(deps) },
    { name: 'lock', intervalMs: 5000, run: async () => checkLock(deps) },
    {
      name: 'zone-tables',
      intervalMs: HOUR_MS,
      async run() {
        const year = zoneTableYear(clock.nowMs());
        if (year === tableYear) {
          return;
        }
        await deps.reloadManifests();
        tableYear = year;
      },
    },
    { name: 'last-used', intervalMs: 60_000, run: deps.flushKeyUsage },
    { name: 'presence', intervalMs: 5000, run: deps.sweepPresence },
    { name: 'connections', intervalMs: 5000, run: deps.sweepConnections },
    {
      name: 'pairings',
      isForLeader: true,
      intervalMs: 15_000,
      async run() {
        const nowMs = clock.nowMs();
        await database.transaction(
          async (tx) => {
            const codes = await tx.pairings.deleteExpired(nowMs, nowMs - DAY_MS);
            if (codes.length > 0) {
              tx.publishOnCommit({ type: 'pairing_codes_expired', codes });
            }
          },
          { freesSpace: true },
        );
      },
    },
    { name: 'commands', intervalMs: 5000, isForLeader: true, run: () => expireCommands(deps) },
    {
      name: 'roll-up',
      isForLeader: true,
      intervalMs: 5 * 60_000,
      run: createRollUpJob(deps),
    },
    {
      name: 'retention',
      isForLeader: true,
      intervalMs: HOUR_MS,
      async run(stopping) {
        const nowMs = clock.nowMs();
        const minutesBeforeMs = nowMs - retention.minuteDays * DAY_MS;
        const resentSinceMs = nowMs - RESENT_MS;
        const hasFinished = await forAllDevices(
          deps,
          stopping,
          (tx, after) => tx.heartbeats.deleteSamplesBefore(after, minutesBeforeMs, resentSinceMs),
          { freesSpace: true },
        );
        if (!hasFinished) {
          return;
        }
        await database.heartbeats.deleteBucketsBefore('minute', minutesBeforeMs);
        await database.heartbeats.deleteBucketsBefore('hour', nowMs - retention.hourDays * DAY_MS);
        await database.heartbeats.deleteBucketsBefore('day', nowMs - retention.dayDays * DAY_MS);
        await database.plays.deleteBefore(nowMs - retention.playDays * DAY_MS);
        await database.presence.deleteBefore(nowMs - retention.playDays * DAY_MS);
        await database.heartbeats.forgetLateSamples(resentSinceMs);
        await database.transaction(
          async (tx) => {
            await tx.sessions.deleteEnded(nowMs, nowMs - SESSION_IDLE_MS);
            await tx.invitations.deleteBefore(nowMs - INVITATION_HISTORY_MS);
          },
          { freesSpace: true },
        );
        for (const sent of [database.screenshots, database.faultScreenshots, database.deviceLogs]) {
          await sent.deleteBefore(nowMs - retention.screenshotDays * DAY_MS);
        }
        await database.idempotentResponses.deleteBefore(nowMs - DAY_MS);
        await database.commands.deleteBefore(nowMs - retention.auditDays * DAY_MS);
        await deleteOldAuditEntries(deps, retention.auditDays);
      },
    },
    { name: 'uploads', intervalMs: 5000, isForLeader: true, run: deps.finishUploads },
    {
      name: 'old-uploads',
      intervalMs: 60_000,
      isForLeader: true,
      run: () => deleteExpiredUploads(deps),
    },
    {
      name: 'blobs',
      isForLeader: true,
      intervalMs: HOUR_MS,
      async run() {
        if (await deps.mediaOwnership.mayDelete()) {
          await deleteUnusedBlobs(deps, MIN_UNUSED_AGE_MS);
          await deps.blobs.sweep();
          await deleteUnknownUploads(deps);
        }
      },
    },
    { name: 'wanted-renditions', intervalMs: 60_000, isForLeader: true, run: createWantedRenditions(deps) },
    ...deps.moreJobs,
    { name: 'thumbnails', intervalMs: 60_000, isForLeader: true, run: createThumbnailJob(deps) },
    { name: 'screenshots', intervalMs: 2000, isForLeader: true, run: () => measureScreenshots(deps) },
    { name: 'video-details', intervalMs: 60_000, isForLeader: true, run: () => readVideoDetails(deps) },
  ];
}

/** Adds samples of hours that are over to the buckets of hours and days, once an hour. */
function createRollUpJob(deps: JobDeps): Job['run'] {
  let doneUntilMs = 0;
  return async (stopping) => {
    const endMs = rollUpEnd(deps.clock.nowMs());
    if (endMs === doneUntilMs) {
      return;
    }
    if (await forAllDevices(deps, stopping, (tx, after) => tx.heartbeats.rollUp(after, endMs))) {
      doneUntilMs = endMs;
    }
  };
}

function checkLock({ lock, log }: JobDeps): void {
  const lockState = lock.check();
  if (lockState === 'renewed') {
    log.warn({ message: 'cloud.lock had been deleted; it was created and locked again' }, 'lock.renewed');
  }
  if (lockState === 'lost') {
    log.error(
      {
        message:
          'cloud.lock had been deleted, and another cloud now uses the data folder: stop one of the two',
      },
      'lock.lost',
    );
  }
}

/** Checks the disk; frees space when it is low, and recovers when it has space again. */
function createDiskJob(deps: JobDeps): () => Promise<void> {
  let previousState: DiskState = deps.disk.status().state;
  let hasDeletedUnused = false;
  return async () => {
    const before = previousState;
    if (before === 'full') {
      await deps.database.truncateWal();
    }
    previousState = deps.disk.refresh();
    if (before === 'full' && previousState !== 'full') {
      deps.onDiskRecovered();
    }
    if (previousState !== 'ok' && !hasDeletedUnused && deps.blobs.isLocal) {
      await deleteUnusedBlobs(deps, 0);
    }
    hasDeletedUnused = previousState !== 'ok';
  };
}
