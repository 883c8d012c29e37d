import { ERRORS, scope as scopeSchema } from '@placard/protocol/api';
import type { Operation, Scope } from '@placard/protocol/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../domain/clock.ts';
import type { Allowance, RateLimiter } from '../domain/rate-window.ts';
import { isRefusal, refusal } from '../domain/refusal.ts';
import { includes, RATE_LIMITS } from '../domain/scope.ts';
import type { Store } from '../store/store.ts';
import { storageTroubleOf } from '../domain/storage-trouble.ts';
import type { Caller } from './call.ts';
import type { LastUsed } from './last-used.ts';
import { hashSecret } from './secrets.ts';

/** Requests a minute of one device. */
const DEVICE_LIMIT = 120;
/** Refused secrets a minute from one address. */
const FAILURES_PER_ADDRESS = 300;

export interface AuthenticatorDeps {
  store: Store;
  clock: Clock;
  limiter: RateLimiter;
  lastUsed: Pick<LastUsed, 'note'>;
}

/** Finds out who calls, counts the request, and refuses who may not. */
export function createAuthenticator(deps: AuthenticatorDeps) {
  const { store, clock, limiter, lastUsed } = deps;

  return async (operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<Caller> => {
    if (operation.access === 'Public') return { key: null, deviceId: null };
    try {
      const token = bearer(request);
      if (operation.access === 'Device') return await device(token, reply);
      return await apiKey(token, operation.access, reply);
    } catch (error) {
      // Whoever tries one secret after the other is slowed down; those who have a right one are not.
      if (isRefusal(error) && ERRORS[error.refusal].status === 401)
        count(limiter.take(`address ${request.ip}`, FAILURES_PER_ADDRESS, clock.nowMs()), reply);
      throw error;
    }
  };

  async function apiKey(token: string, needed: Scope, reply: FastifyReply): Promise<Caller> {
    const nowMs = clock.nowMs();
    // Looked up by hash: how long that takes says nothing about the secret.
    const row = await store.apiKeys.findByHash(hashSecret(token));
    if (!row) throw unauthorized('This API key is not known, or was revoked.');
    if (row.expires_at !== null && row.expires_at <= nowMs) throw unauthorized('This API key has expired.');
    const scope = scopeSchema.parse(row.scope);
    count(limiter.take(`key ${row.id}`, RATE_LIMITS[scope], nowMs), reply);
    lastUsed.note(row.id, nowMs);
    if (!includes(scope, needed))
      throw refusal('INSUFFICIENT_SCOPE', `This needs a key of scope ${needed}; this one has ${scope}.`);
    return { key: { id: row.id, name: row.name, scope }, deviceId: null };
  }

  async function device(token: string, reply: FastifyReply): Promise<Caller> {
    const deviceId = await deviceOfToken(store, token, clock.nowMs());
    count(limiter.take(`device ${deviceId}`, DEVICE_LIMIT, clock.nowMs()), reply);
    return { key: null, deviceId };
  }
}

/** The device that a token belongs to; its first use ends the pairing session. */
export async function deviceOfToken(store: Store, token: string, nowMs: number): Promise<string> {
  const hash = hashSecret(token);
  const row = await store.devices.findToken(hash);
  if (!row) throw unauthorized('This device token is not known.');
  if (row.revoked_at !== null)
    throw refusal('DEVICE_UNPAIRED', 'This device was removed; it has to be paired again.', {
      headers: { 'www-authenticate': 'Bearer' },
    });
  if (row.first_used_at === null)
    await store
      .transaction(async (work) => {
        await work.devices.markTokenUsed(hash, nowMs);
        await work.pairings.finish(row.device_id);
      })
      .catch((error: unknown) => {
        // Its next use notes it; a full disk keeps no screen from reading.
        if (storageTroubleOf(error) === null) throw error;
      });
  return row.device_id;
}

/** The secret of the Authorization header. */
export function bearer(request: { headers: { authorization?: string | undefined } }): string {
  const header = request.headers.authorization;
  if (header === undefined) throw unauthorized('Send the header "Authorization: Bearer <API_KEY>".');
  const match = /^Bearer +([\w.~+/=-]{1,500}) *$/i.exec(header);
  if (!match?.[1]) throw unauthorized('The Authorization header must read "Bearer <API_KEY>".');
  return match[1];
}

export const unauthorized = (message: string) =>
  refusal('UNAUTHORIZED', message, { headers: { 'www-authenticate': 'Bearer' } });

/** Writes the headers of the rate limit, and refuses what is over it. */
export function count(allowance: Allowance, reply: FastifyReply): void {
  reply.headers({
    'ratelimit-limit': allowance.limit,
    'ratelimit-remaining': allowance.remaining,
    'ratelimit-reset': allowance.resetSeconds,
  });
  if (!allowance.allowed)
    throw refusal('RATE_LIMITED', `More than ${allowance.limit} requests in the window; slow down.`, {
      headers: { 'retry-after': String(allowance.resetSeconds) },
    });
}
