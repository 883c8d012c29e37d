import { createDailyQuota } from '../domain/daily-quota.ts';
import { refusal } from '../domain/refusal.ts';
import type { Repositories, Work } from '../store/store.ts';
import type { Answer } from './call.ts';
import { openSealed, seal, sha256Hex } from './secrets.ts';

/** How long a first answer is remembered. */
export const REMEMBER_MS = 24 * 3_600_000;

/** Bytes of large answers that are kept for a key on one day (UTC). */
const MOST_BYTES_A_DAY = 64_000_000;
/** Bytes of an answer that is kept in any case: hardly more than what the request itself has written. */
const SMALL_BYTES = 4096;
/** In place of an answer that is not kept: what is sealed is never empty. */
const NOT_KEPT = '';

export interface Attempt {
  keyId: string;
  idempotencyKey: string;
  /** What the caller showed: answers may hold new secrets, so they are sealed with it. */
  secret: string;
  /** Method and path. */
  target: string;
}

/** The answer that the attempt got before, or null. Refuses when it was another request then. */
async function find(
  from: Pick<Repositories, 'answers'>,
  attempt: Attempt,
  requestHash: string,
  nowMs: number,
): Promise<Answer<unknown> | null> {
  const row = await from.answers.find(attempt.keyId, attempt.idempotencyKey, nowMs - REMEMBER_MS);
  if (!row) return null;
  if (row.request_hash !== requestHash)
    throw refusal('CONFLICT', 'This Idempotency-Key was already used for another request.');
  if (row.body === NOT_KEPT)
    throw refusal(
      'CONFLICT',
      'The request with this Idempotency-Key was carried out. Its answer was not kept, as this key had very many large ' +
        'answers that day: read what it has made.',
      { details: { reason: 'answer_not_kept', status: row.status } },
    );
  return {
    data: JSON.parse(openSealed(row.body, attempt.secret)),
    status: row.status,
    headers: { 'idempotency-replayed': 'true' },
  };
}

/** A request that is safe to send twice: the second time it gets the first answer. */
export function createIdempotency(mostBytesADay = MOST_BYTES_A_DAY) {
  const kept = createDailyQuota(mostBytesADay);
  // Two requests with one key at the same time: the second waits and then finds the answer of the first.
  const running = new Map<string, Promise<unknown>>();

  return {
    hashOf: (attempt: Attempt, body: string) => sha256Hex(`${attempt.target}\n${body}`),
    find,
    async save(
      work: Pick<Work, 'answers'>,
      attempt: Attempt,
      requestHash: string,
      status: number,
      data: unknown,
      nowMs: number,
    ) {
      const sealed = seal(JSON.stringify(data), attempt.secret);
      const isSmall = sealed.length <= SMALL_BYTES;
      const isKept = isSmall || sealed.length <= kept.left(attempt.keyId, nowMs);
      if (isKept && !isSmall) kept.add(attempt.keyId, sealed.length, nowMs);
      await work.answers.save({
        key_id: attempt.keyId,
        idempotency_key: attempt.idempotencyKey,
        request_hash: requestHash,
        status,
        body: isKept ? sealed : NOT_KEPT,
        created_at: nowMs,
      });
    },
    /** Runs requests with the same key one after the other. */
    async alone<T>(attempt: Attempt, run: () => Promise<T>): Promise<T> {
      const name = `${attempt.keyId} ${attempt.idempotencyKey}`;
      const before = running.get(name) ?? Promise.resolve();
      const mine = before.then(run, run);
      const settled = mine.then(
        () => undefined,
        () => undefined,
      );
      running.set(name, settled);
      try {
        return await mine;
      } finally {
        if (running.get(name) === settled) running.delete(name);
      }
    },
  };
}

export type Idempotency = ReturnType<typeof createIdempotency>;
