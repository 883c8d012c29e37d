import type { IncomingMessage } from 'node:http';
import { ApiError } from '../domain/api-error.ts';
import type { Caller } from '../http-server/operation-route.ts';

export interface LimitedCaller {
  actor: Caller['actor'];
  request: { raw: Pick<IncomingMessage, 'socket'> };
}

interface ConcurrencySlot {
  /** Aborts when the connection closes. */
  signal: AbortSignal;
  /** Must be called when the work ends, whether it succeeded or failed. */
  release: () => void;
}

/**
 * Limits the number of concurrent long-running requests per API key. `subject` names the work in the error message, in
 * the plural.
 */
export function createConcurrencyLimit(max: number, subject: string) {
  const activeCounts = new Map<string, number>();

  /** Throws 429 when the key is at its limit. */
  const acquire = ({ actor, request }: LimitedCaller): ConcurrencySlot => {
    const name = actor?.id ?? '';
    const count = activeCounts.get(name) ?? 0;
    if (count >= max) {
      throw new ApiError(
        'RATE_LIMITED',
        `This key already has ${max} ${subject} running, the most that one key may have at a time. ` +
          'Wait until one of them has finished, then try again.',
        { details: { reason: 'too_many_at_once', limit: max }, headers: { 'retry-after': '5' } },
      );
    }
    activeCounts.set(name, count + 1);
    const { socket } = request.raw;
    const disconnected = new AbortController();
    const abort = () => disconnected.abort();
    if (socket.destroyed) {
      abort();
    }
    // Pipelined requests on one connection each add a listener.
    socket.setMaxListeners(64).once('close', abort);
    let isReleased = false;
    return {
      signal: disconnected.signal,
      release() {
        if (isReleased) {
          return;
        }
        isReleased = true;
        socket.off('close', abort);
        const remaining = (activeCounts.get(name) ?? 0) - 1;
        if (remaining > 0) {
          activeCounts.set(name, remaining);
        } else {
          activeCounts.delete(name);
        }
      },
    };
  };

  return {
    acquire,
    async run<T>(caller: LimitedCaller, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
      const { signal, release } = acquire(caller);
      try {
        return await work(signal);
      } finally {
        release();
      }
    },
  };
}
