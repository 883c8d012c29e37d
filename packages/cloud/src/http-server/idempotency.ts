import type { Operation } from '@placard/protocol/api';
import type { FastifyRequest } from 'fastify';
import { createDailyQuota } from '../domain/daily-quota.ts';
import { ApiError, validationError } from '../domain/api-error.ts';
import type { Repositories, Transaction } from '../database/cloud-database.ts';
import { canonicalJson } from './json.ts';
import type { Caller, HandlerResult } from './operation-route.ts';
import { decryptWithSecret, encryptWithSecret, sha256Hex } from './secrets.ts';

/** How long responses are stored. */
export const RESPONSE_LIFETIME_MS = 24 * 3_600_000;

/** Bytes of large responses stored per API key and day (UTC). */
const MAX_BYTES_PER_DAY = 64_000_000;
/** Responses up to this size are always stored: about as much as the request itself writes. */
const SMALL_BYTES = 4096;
/** Marks a response that is not stored; encrypted text is never empty. */
const NOT_STORED = '';

export interface IdempotentRequest {
  keyId: string;
  idempotencyKey: string;
  /** The secret of the caller. Responses may contain new secrets, so they are encrypted with it. */
  secret: string;
  /** Method and path. */
  target: string;
}

/** The stored response of an earlier attempt, or null. Throws when the key was used for a different request. */
async function findResponse(
  repositories: Pick<Repositories, 'idempotentResponses'>,
  idempotentRequest: IdempotentRequest,
  requestHash: string,
  nowMs: number,
): Promise<HandlerResult<unknown> | null> {
  const row = await repositories.idempotentResponses.find(
    idempotentRequest.keyId,
    idempotentRequest.idempotencyKey,
    nowMs - RESPONSE_LIFETIME_MS,
  );
  if (!row) {
    return null;
  }
  if (row.request_hash !== requestHash) {
    throw new ApiError('CONFLICT', 'This Idempotency-Key was already used for another request.');
  }
  if (row.body === NOT_STORED) {
    throw new ApiError(
      'CONFLICT',
      'The request with this Idempotency-Key was already processed. Its response was not stored, because this API key had ' +
        'too many large responses that day; read the resource instead.',
      { details: { reason: 'answer_not_kept', status: row.status } },
    );
  }
  return {
    data: JSON.parse(decryptWithSecret(row.body, idempotentRequest.secret)),
    status: row.status,
    headers: { 'idempotency-replayed': 'true' },
  };
}

/** Stores responses by Idempotency-Key, so that a repeated request gets the first response. */
export function createIdempotency(maxBytesPerDay = MAX_BYTES_PER_DAY) {
  const byteQuota = createDailyQuota(maxBytesPerDay);
  // Of two concurrent requests with one Idempotency-Key, the second waits and then finds the response of the first.
  const running = new Map<string, Promise<unknown>>();

  return {
    hashOf: (idempotentRequest: IdempotentRequest, body: string) =>
      sha256Hex(`${idempotentRequest.target}\n${body}`),
    find: findResponse,
    async save(
      tx: Pick<Transaction, 'idempotentResponses'>,
      idempotentRequest: IdempotentRequest,
      requestHash: string,
      status: number,
      data: unknown,
      nowMs: number,
    ) {
      const encrypted = encryptWithSecret(JSON.stringify(data), idempotentRequest.secret);
      const isSmall = encrypted.length <= SMALL_BYTES;
      const isStored = isSmall || encrypted.length <= byteQuota.remaining(idempotentRequest.keyId, nowMs);
      if (isStored && !isSmall) {
        byteQuota.add(idempotentRequest.keyId, encrypted.length, nowMs);
      }
      await tx.idempotentResponses.save({
        key_id: idempotentRequest.keyId,
        idempotency_key: idempotentRequest.idempotencyKey,
        request_hash: requestHash,
        status,
        body: isStored ? encrypted : NOT_STORED,
        created_at: nowMs,
      });
    },
    /** Runs requests with the same Idempotency-Key one after the other. */
    async runExclusive<T>(idempotentRequest: IdempotentRequest, run: () => Promise<T>): Promise<T> {
      const name = `${idempotentRequest.keyId} ${idempotentRequest.idempotencyKey}`;
      const previous = running.get(name) ?? Promise.resolve();
      const result = previous.then(run, run);
      const settled = result.then(
        () => undefined,
        () => undefined,
      );
      running.set(name, settled);
      try {
        return await result;
      } finally {
        if (running.get(name) === settled) {
          running.delete(name);
        }
      }
    },
  };
}

export type Idempotency = ReturnType<typeof createIdempotency>;

/** Null without an Idempotency-Key, and where it has no meaning. */
export function toIdempotentRequest(
  operation: Operation,
  request: FastifyRequest,
  caller: Caller,
): IdempotentRequest | null {
  const given = request.headers['idempotency-key'];
  if (
    operation.method !== 'POST' ||
    !caller.actor ||
    caller.secret === null ||
    typeof given !== 'string' ||
    given === ''
  ) {
    return null;
  }
  if (given.length > 255) {
    throw validationError([{ path: 'idempotency-key', message: 'must be at most 255 characters' }]);
  }
  return {
    keyId: caller.actor.session?.id ?? caller.actor.id,
    secret: caller.secret,
    idempotencyKey: given,
    target: `${request.method} ${request.url}`,
  };
}

/** What a request says besides its address: its body, and the headers that are of its operation. */
export function contentOf({ requestHeaders }: Operation, { headers }: FastifyRequest, body: unknown): string {
  const names = Object.keys(requestHeaders?.shape ?? {});
  return canonicalJson(body) + names.map((name) => `\n${name}: ${String(headers[name] ?? '')}`).join('');
}
