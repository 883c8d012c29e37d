/** Of changes without owner. */
const NOBODY = Symbol('no owner');

/** Runs changes one at a time; `yieldToEventLoop` is awaited between two. */
export function createFairMutex(yieldToEventLoop: () => Promise<unknown>) {
  /** In round-robin order. */
  const queues = new Map<string | symbol, (() => Promise<unknown>)[]>();
  let running = false;
  const drain = async (): Promise<void> => {
    running = true;
    for (const [owner, queue] of queues) {
      await queue.shift()?.();
      await yieldToEventLoop();
      // Re-queue only now: owners that arrived meanwhile come before the next change of this one.
      queues.delete(owner);
      if (queue.length > 0) {
        queues.set(owner, queue);
      }
    }
    running = false;
  };
  return {
    /**
     * Changes of one owner run in order. Round-robin between owners: each waits for at most one change of every other
     * owner. Changes without owner (null), such as those of devices, share the turns of one owner.
     */
    runExclusive: <T>(owner: string | null, change: () => Promise<T>) =>
      new Promise<T>((resolve, reject) => {
        const key = owner ?? NOBODY;
        const queue = queues.get(key) ?? [];
        queue.push(async () => {
          try {
            resolve(await change());
          } catch (error) {
            reject(error);
          }
        });
        queues.set(key, queue);
        if (!running) {
          void drain();
        }
      }),
  };
}
