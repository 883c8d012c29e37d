import type { IncomingMessage } from 'node:http';

interface RunningRequest {
  stop(): void;
  ended: Promise<void>;
}

/**
 * The requests of this node that append to uploads, one for each upload: a client that was cut off comes back before the
 * cloud has noticed, and must not wait for the connection that is dead.
 */
export function createRunningRequests() {
  const running = new Map<string, RunningRequest>();

  /** Ends the request that appends to the upload; resolves when what it has received is stored. */
  const stop = async (id: string): Promise<void> => {
    for (let other = running.get(id); other; other = running.get(id)) {
      other.stop();
      await other.ended;
    }
  };

  return {
    stop,
    /** Ends all of them; resolves when what they have received is stored. */
    close: async (): Promise<void> => {
      await Promise.all([...running.keys()].map(stop));
    },
    /** Runs the work of a request after that of the one before it has ended. */
    async replace<T>(id: string, request: IncomingMessage, work: () => Promise<T>): Promise<T> {
      await stop(id);
      const { promise: ended, resolve: end } = Promise.withResolvers<void>();
      const own = { stop: () => void request.destroy(), ended };
      running.set(id, own);
      try {
        return await work();
      } finally {
        running.delete(id);
        end();
      }
    },
  };
}

export type RunningRequests = ReturnType<typeof createRunningRequests>;
