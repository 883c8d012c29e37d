import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import { storageFailureOf } from '../domain/storage-failure.ts';

export interface Job {
  name: string;
  intervalMs: number;
  /** Skipped on all nodes but the leader. */
  isForLeader?: true;
  /** `stopping` is aborted when all jobs are stopped, which waits for those that run. */
  run(stopping: AbortSignal): Promise<void>;
}

/**
 * Runs each job periodically, never twice at once. Returns a function that stops all jobs and waits for running ones.
 */
export function startJobs(
  jobs: readonly Job[],
  { clock, log, isLeader }: { clock: Clock; log: Logger; isLeader: () => boolean },
): () => Promise<void> {
  const stopping = new AbortController();
  const cancelTimers = new Map<string, () => void>();
  const running = new Set<Promise<void>>();

  const schedule = (job: Job): void => {
    if (stopping.signal.aborted) {
      return;
    }
    cancelTimers.set(
      job.name,
      clock.setTimer(job.intervalMs, () => {
        const execution = (job.isForLeader && !isLeader() ? Promise.resolve() : job.run(stopping.signal))
          .catch((error: unknown) => {
            const failure = storageFailureOf(error);
            // The disk monitor reports this once; the job is retried.
            if (failure) {
              log.info({ job: job.name, failure }, 'job.postponed');
            } else {
              log.error({ job: job.name, err: error }, 'job.failed');
            }
          })
          .then(() => schedule(job));
        running.add(execution);
        void execution.finally(() => running.delete(execution));
      }),
    );
  };
  for (const job of jobs) {
    schedule(job);
  }
  return async () => {
    stopping.abort();
    for (const cancel of cancelTimers.values()) {
      cancel();
    }
    await Promise.all(running);
  };
}
