import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { ReadsOf } from './everyday-calls.ts';
import type { PaceResult } from './pace.ts';

/** What the thread is given. */
export interface PacedReads extends ReadsOf {
  perSecond: number;
  maxWaiting: number;
}

/** Reads in a thread of its own, as `createPace` does in this one. */
export function startPacedReader(workerData: PacedReads) {
  const thread = new Worker(new URL('reader-thread.ts', import.meta.url), { workerData });
  return {
    async run(ms: number): Promise<PaceResult> {
      const answered: Promise<PaceResult[]> = once(thread, 'message');
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      thread.postMessage(ms);
      const [result] = await answered;
      return result!;
    },
    stop: async () => void (await thread.terminate()),
  };
}
