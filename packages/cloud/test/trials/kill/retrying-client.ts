import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Operation } from '@placard/protocol/api';
import type { z } from 'zod';
import type { OperationResponse, Api, OperationRequest } from '../support/api.ts';
import { ContractViolation } from '../support/contract-violation.ts';
import type { KeyRing } from '../support/key-ring.ts';

/**
 * A client that retries requests without a response, with the same key and the same Idempotency-Key, once the cloud
 * is available again.
 */
export interface RetryingClient {
  call<D extends z.ZodType>(
    op: Operation<z.ZodType, z.ZodType, z.ZodType, D>,
    request: OperationRequest,
  ): Promise<OperationResponse<z.infer<D>>>;
  /** Retries any other request until there is a response. */
  sendUntilAnswered<T>(send: (key: string) => Promise<T>): Promise<T>;
  /** The same for what needs no Admin key. */
  repeatUntilAnswered<T>(send: () => Promise<T>): Promise<T>;
  resume(): void;
  pause(): void;
  /** Rejects every waiting call with `ClientClosedError`. */
  close(): void;
  /** Requests that wait for their response. */
  readonly waitingCount: number;
  /** Requests with a response. */
  readonly responseCount: number;
  /** Requests that were sent again. */
  readonly retryCount: number;
}

/** The trial is over; thrown by waiting calls. */
export class ClientClosedError extends Error {
  override readonly name = 'ClientClosedError';
}

export function createRetryingClient(deps: { api: Api; ring: KeyRing }): RetryingClient {
  const { api, ring } = deps;
  let closed = false;
  let retryCount = 0;
  let responseCount = 0;
  let waitingCount = 0;
  let gate = Promise.withResolvers<void>();
  let isOpen = false;

  const client: RetryingClient = {
    async sendUntilAnswered(send) {
      let key: string | null = null;
      return client.repeatUntilAnswered(async () => {
        if (key === null) {
          key = await ring.take();
        } else {
          ring.countRetry(key);
        }
        return send(key);
      });
    },
    async repeatUntilAnswered(send) {
      for (;;) {
        if (!isOpen) {
          await gate.promise;
        }
        if (closed) {
          throw new ClientClosedError();
        }
        waitingCount++;
        try {
          const response = await send();
          responseCount++;
          return response;
        } catch (error) {
          // Do not retry a response that violates the contract.
          if (error instanceof ContractViolation) {
            throw error;
          }
          retryCount++;
          await sleep(5);
        } finally {
          waitingCount--;
        }
      }
    },
    async call(op, request) {
      const keyed = op.method === 'POST' && op.access !== 'Public' && op.access !== 'Device';
      const headers = keyed ? { 'idempotency-key': randomUUID(), ...request.headers } : request.headers;
      return request.key === undefined
        ? client.sendUntilAnswered((key) => api.call(op, { ...request, key, headers }))
        : client.repeatUntilAnswered(() => api.call(op, { ...request, headers }));
    },
    resume() {
      isOpen = true;
      gate.resolve();
    },
    pause() {
      isOpen = false;
      gate = Promise.withResolvers<void>();
    },
    close() {
      closed = true;
      client.resume();
    },
    get waitingCount() {
      return waitingCount;
    },
    get responseCount() {
      return responseCount;
    },
    get retryCount() {
      return retryCount;
    },
  };
  return client;
}
