export interface SerialQueueOptions {
  maxWaiting: number;
  /** Awaited between two tasks. */
  yieldToEventLoop: () => Promise<unknown>;
}

/** Runs tasks one after another. `run` returns null if too many are waiting. */
export function createSerialQueue({ maxWaiting, yieldToEventLoop }: SerialQueueOptions) {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    run<T>(work: () => Promise<T>): Promise<T> | null {
      if (waiting >= maxWaiting) {
        return null;
      }
      waiting += 1;
      const result = last.then(work).finally(() => (waiting -= 1));
      last = result.catch(() => undefined).then(yieldToEventLoop);
      return result;
    },
  };
}
