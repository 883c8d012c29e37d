import { setImmediate } from 'node:timers/promises';

/**
 * Returns a look-up by key. One statement reads all keys that are asked for in a turn of the event loop, and those that are
 * asked for while it is executed are the next one: the answer is never older than the question, and one connection is
 * enough. `read` leaves out what does not exist.
 */
export function createLookUp<T>(
  read: (keys: readonly string[]) => Promise<ReadonlyMap<string, T>>,
): (key: string) => Promise<T | undefined> {
  let waiting = new Map<string, PromiseWithResolvers<T | undefined>>();
  let isRunning = false;

  const readWaiting = async (): Promise<void> => {
    while (waiting.size > 0) {
      await setImmediate();
      const batch = waiting;
      waiting = new Map();
      try {
        const found = await read([...batch.keys()]);
        for (const [key, { resolve }] of batch) {
          resolve(found.get(key));
        }
      } catch (error) {
        for (const { reject } of batch.values()) {
          reject(error);
        }
      }
    }
    isRunning = false;
  };

  return (key) => {
    const asked = waiting.get(key) ?? Promise.withResolvers<T | undefined>();
    waiting.set(key, asked);
    if (!isRunning) {
      isRunning = true;
      void readWaiting();
    }
    return asked.promise;
  };
}
