/** Runs tasks one after another. `run` returns null if too many are waiting. */
export interface SerialQueue {
  run<T>(work: () => Promise<T>): Promise<T> | null;
}

export interface SerialQueueOptions {
  maxWaiting: number;
  /** Awaited between two tasks. */
  yieldToEventLoop: () => Promise<unknown>;
}

export function createSerialQueue({ maxWaiting, yieldToEventLoop }: SerialQueueOptions): SerialQueue {
  let last: Promise<unknown> = Promise.resolve();
  let waiting = 0;
  return {
    run(work) {
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
