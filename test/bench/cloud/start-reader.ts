import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import type { Fleet } from './fleet.ts';
import type { Reads, Waits } from './reader.ts';

export interface Reader {
  /** Ends reading; resolves with the longest waits. Rejects if something was refused. */
  stop: () => Promise<Waits>;
  /** Ends the thread, also while it reads. */
  terminate: () => Promise<unknown>;
}

/**
 * Reads devices of a fleet in a thread, which does not wait for what else the process of the bench does, such as receiving the
 * messages of thousands of sockets. Resolves when it reads.
 */
export async function startReader(
  { cloud, devices, readKeys }: Fleet,
  options: Omit<Reads, 'url' | 'reads'>,
): Promise<Reader> {
  const reads = readKeys.map((key, turn) => ({ id: devices[turn % devices.length]!.id, key }));
  const thread = new Worker(new URL('reader.ts', import.meta.url), {
    workerData: { url: cloud.url, reads, ...options } satisfies Reads,
  });
  await once(thread, 'message');
  const read: Promise<Waits[]> = once(thread, 'message');
  // Awaited in `stop`; until then a failure must not end the process.
  read.catch(() => {});
  return {
    async stop() {
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
      thread.postMessage('stop');
      const [waits] = await read;
      return waits!;
    },
    terminate: () => thread.terminate(),
  };
}
