import type { Logger } from 'pino';
import type { Clock } from '../domain/clock.ts';
import { storageTroubleOf } from '../domain/storage-trouble.ts';

export interface Job {
  name: string;
  everyMs: number;
  run(): Promise<void>;
}

/** Runs each job again and again, never twice at once. The answer stops them and waits for what still runs. */
export function startJobs(jobs: readonly Job[], clock: Clock, log: Logger): () => Promise<void> {
  let stopped = false;
  const cancels = new Map<string, () => void>();
  const running = new Set<Promise<void>>();

  const plan = (job: Job): void => {
    if (stopped) return;
    cancels.set(
      job.name,
      clock.setTimer(job.everyMs, () => {
        const round = job
          .run()
          .catch((error: unknown) => {
            const trouble = storageTroubleOf(error);
            // Told once, by whoever watches the disk; it is tried again.
            if (trouble) log.info({ event: 'job.postponed', job: job.name, trouble });
            else log.error({ event: 'job.failed', job: job.name, err: error });
          })
          .then(() => plan(job));
        running.add(round);
        void round.finally(() => running.delete(round));
      }),
    );
  };
  for (const job of jobs) plan(job);
  return async () => {
    stopped = true;
    for (const cancel of cancels.values()) cancel();
    await Promise.all(running);
  };
}
