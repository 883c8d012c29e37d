import { join } from 'node:path';
import type { Logger } from 'pino';
import { singleNode } from './cluster/cluster.ts';
import type { Cluster } from './cluster/cluster.ts';
import type { CloudOptions } from './config/cloud-options.ts';
import type { CloudDatabase } from './database/cloud-database.ts';
import { liveAnswerRepository } from './database/live-answers.ts';
import { nodeMessageRepository } from './database/node-messages.ts';
import { maintainPartitions } from './database/postgres/maintain-partitions.ts';
import { rateWindowRepository } from './database/rate-windows.ts';
import type { Storage } from './database/storage.ts';
import type { Clock } from './domain/clock.ts';
import { HOUR_MS } from './domain/durations.ts';
import { createRateLimiter } from './domain/rate-limiter.ts';
import type { RateLimiter } from './domain/rate-limiter.ts';
import type { Retention } from './domain/retention.ts';
import { ignoreStorageFailure, storageFailureOf } from './domain/storage-failure.ts';
import { createPersistentRateLimits } from './http-server/persistent-rate-limits.ts';
import { createSharedRateLimiter } from './http-server/shared-rate-limits.ts';
import type { Job } from './jobs/job-runner.ts';

/** Longer than a node may be away without reading everything again. */
const KEEP_MESSAGES_MS = 10 * 60_000;
/** Nobody waits longer for an answer. */
const KEEP_LIVE_ANSWERS_MS = 15_000;

export interface NodeParts {
  cluster: Cluster;
  /** A limiter of the whole cloud, whose counts survive a restart. One per name. */
  newLimiter: (name: string, windowMs: number) => RateLimiter;
  /** The same, for counts that a restart of a cloud of one node may lose. */
  newUnsavedLimiter: (name: string, windowMs: number) => RateLimiter;
  jobs: readonly Job[];
}

/** What differs between a cloud of one node, with its own files, and one of several, which share a database. */
export async function joinNodes({
  options: { database: url, dataDir },
  storage: { db },
  retention,
  clock,
  log,
  shutdownSteps,
}: {
  options: Pick<CloudOptions, 'database' | 'dataDir'>;
  storage: Pick<Storage, 'db'>;
  retention: Retention;
  clock: Clock;
  log: Logger;
  shutdownSteps: (() => Promise<void>)[];
}): Promise<NodeParts> {
  if (url === undefined) {
    const limits = createPersistentRateLimits({ file: join(dataDir, 'cloud.limits.json'), clock, log });
    shutdownSteps.push(limits.save);
    return {
      cluster: singleNode,
      newLimiter: (name, windowMs) => limits.createLimiter(name, windowMs),
      newUnsavedLimiter: (_name, windowMs) => createRateLimiter(windowMs),
      // A crash loses at most this much.
      jobs: [{ name: 'limits', intervalMs: 2000, run: limits.save }],
    };
  }
  // Only then: the client takes a while to load.
  const { joinPostgresCluster } = await import('./cluster/postgres-cluster.ts');
  const cluster = await joinPostgresCluster({ url, clock, log });
  shutdownSteps.push(() => cluster.close());
  const prepareStorage = () => maintainPartitions(db, { nowMs: clock.nowMs(), retention });
  // What arrives before there is a partition has to be moved.
  await prepareStorage().catch(ignoreStorageFailure);
  const windows = rateWindowRepository(db);
  const messages = nodeMessageRepository(db);
  const liveAnswers = liveAnswerRepository(db);
  const newLimiter = (name: string, windowMs: number) => createSharedRateLimiter(windows, name, windowMs);
  return {
    cluster,
    newLimiter,
    newUnsavedLimiter: newLimiter,
    jobs: [
      { name: 'partitions', intervalMs: HOUR_MS, isForLeader: true, run: prepareStorage },
      {
        name: 'limits',
        intervalMs: 60_000,
        isForLeader: true,
        run: () => windows.deleteEnded(clock.nowMs()),
      },
      {
        name: 'node-messages',
        intervalMs: 60_000,
        isForLeader: true,
        run: () => messages.deleteBefore(clock.nowMs() - KEEP_MESSAGES_MS),
      },
      {
        name: 'live-answers',
        intervalMs: 60_000,
        isForLeader: true,
        run: () => liveAnswers.deleteBefore(clock.nowMs() - KEEP_LIVE_ANSWERS_MS),
      },
    ],
  };
}

/** Receives messages of other nodes when told that there are some. A failure other than one of the storage is logged. */
export function createMessageReceiver({
  database,
  log,
}: {
  database: Pick<CloudDatabase, 'receiveMessages'>;
  log: Logger;
}) {
  let receiving: Promise<void> = Promise.resolve();
  return {
    receive: (): void => {
      receiving = database.receiveMessages().catch((error: unknown) => {
        if (storageFailureOf(error) === null) {
          log.error({ err: error }, 'cluster.messages_failed');
        }
      });
    },
    /** Resolves when those are received of which it was told before. */
    untilReceived: (): Promise<void> => receiving,
  };
}
