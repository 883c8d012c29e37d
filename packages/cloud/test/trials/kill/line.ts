import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '@placard/protocol/api';
import type { z } from 'zod';
import type { Answered, Api, Request } from '../support/api.ts';
import { Breach } from '../support/breach.ts';
import type { KeyRing } from '../support/key-ring.ts';

/**
 * The connection of a client that does not give up: what got no answer is sent again, with the same key and the
 * same Idempotency-Key, once the cloud is back.
 */
export interface Line {
  call<D extends z.ZodType>(
    op: Operation<z.ZodType, z.ZodType, z.ZodType, D>,
    request: Request,
  ): Promise<Answered<z.infer<D>>>;
  /** The same for whatever else has to reach the cloud; null when the trial is over. */
  surely<T>(send: (key: string) => Promise<T>): Promise<T>;
  open(): void;
  shut(): void;
  /** Ends every waiting call with `LineClosed`. */
  close(): void;
  /** Requests that were answered. */
  readonly answered: number;
  /** Requests that had to be sent again. */
  readonly again: number;
}

/** The trial is over; whoever still waits may go. */
export class LineClosed extends Error {
  override readonly name = 'LineClosed';
}

export function createLine(deps: { api: Api; ring: KeyRing }): Line {
  const { api, ring } = deps;
  let closed = false;
  let again = 0;
  let answered = 0;
  let gate = Promise.withResolvers<void>();
  let isOpen = false;

  const line: Line = {
    async surely(send) {
      let key: string | null = null;
      for (;;) {
        if (!isOpen) await gate.promise;
        if (closed) throw new LineClosed();
        try {
          if (key === null) key = await ring.take();
          else ring.useAgain(key);
          const answer = await send(key);
          answered++;
          return answer;
        } catch (error) {
          // An answer that breaks the contract is not cured by asking again.
          if (error instanceof Breach) throw error;
          again++;
          await sleep(5);
        }
      }
    },
    async call(op, request) {
      const keyed = op.method === 'POST' && op.access !== 'Public' && op.access !== 'Device';
      const headers = keyed ? { 'idempotency-key': randomUUID(), ...request.headers } : request.headers;
      return line.surely((key) => api.call(op, { ...request, key: request.key ?? key, headers }));
    },
    open() {
      isOpen = true;
      gate.resolve();
    },
    shut() {
      isOpen = false;
      gate = Promise.withResolvers<void>();
    },
    close() {
      closed = true;
      line.open();
    },
    get answered() {
      return answered;
    },
    get again() {
      return again;
    },
  };
  return line;
}
