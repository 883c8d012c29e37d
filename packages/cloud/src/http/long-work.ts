import type { IncomingMessage } from 'node:http';
import { refusal } from '../domain/refusal.ts';
import type { Caller } from './call.ts';

interface Asker {
  key: Caller['key'];
  request: { raw: Pick<IncomingMessage, 'socket'> };
}

interface Begun {
  /** Aborts when the connection is gone, so that nobody waits for the answer. */
  signal: AbortSignal;
  /** Has to be called when the work is over, however it went. */
  end: () => void;
}

/** Work that takes long: each key may have so much of it at a time. */
export interface LongWork {
  /** Refuses with 429 when the key has as much under way as it may. */
  begin: (asker: Asker) => Begun;
  run: <T>(asker: Asker, work: (signal: AbortSignal) => Promise<T>) => Promise<T>;
}

/** `what` names the work in the refusal, in the plural. */
export function createLongWork(most: number, what: string): LongWork {
  const underWay = new Map<string, number>();

  const begin = ({ key, request }: Asker): Begun => {
    const name = key?.id ?? '';
    const count = underWay.get(name) ?? 0;
    if (count >= most)
      throw refusal(
        'RATE_LIMITED',
        `This key has ${most} ${what} under way, which is as many as it may have at a time. ` +
          'Wait until one of them is done, then try again.',
        { details: { reason: 'too_many_at_once', limit: most }, headers: { 'retry-after': '5' } },
      );
    underWay.set(name, count + 1);
    const { socket } = request.raw;
    const gone = new AbortController();
    const abort = () => gone.abort();
    if (socket.destroyed) abort();
    // Several requests may be under way on one connection, and each listens.
    socket.setMaxListeners(64).once('close', abort);
    let ended = false;
    return {
      signal: gone.signal,
      end() {
        if (ended) return;
        ended = true;
        socket.off('close', abort);
        const left = (underWay.get(name) ?? 0) - 1;
        if (left > 0) underWay.set(name, left);
        else underWay.delete(name);
      },
    };
  };

  return {
    begin,
    async run(asker, work) {
      const { signal, end } = begin(asker);
      try {
        return await work(signal);
      } finally {
        end();
      }
    },
  };
}
