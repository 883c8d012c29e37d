import type { IncomingMessage } from 'node:http';
import { ERRORS, scope as scopeSchema } from '@placard/protocol/api';
import type { Operation, Scope } from '@placard/protocol/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../domain/clock.ts';
import type { Allowance, RateLimiter } from '../domain/rate-window.ts';
import { isRefusal, refusal } from '../domain/refusal.ts';
import { includes, RATE_LIMITS } from '../domain/scope.ts';
import type { Store } from '../store/store.ts';
import { storageTroubleOf } from '../domain/storage-trouble.ts';
import type { WrongSecrets } from '../domain/wrong-secrets.ts';
import type { Addresses } from './addresses.ts';
import type { Caller } from './call.ts';
import type { LastUsed } from './last-used.ts';
import { hashSecret } from './secrets.ts';

/** Requests a minute of one device; opening its socket is one. */
const DEVICE_LIMIT = 120;
/** A secret of our own making, 256 random bits: nobody guesses one, however often he may try. */
const OWN_SECRET = /^pl[kd]_[\w-]{43}$/;

export interface AuthenticatorDeps {
  store: Store;
  clock: Clock;
  limiter: RateLimiter;
  addresses: Addresses;
  wrongSecrets: WrongSecrets;
  lastUsed: Pick<LastUsed, 'note'>;
}

/** Finds out who calls, counts the request, and refuses who may not. */
export interface Authenticator {
  ofRequest(operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<Caller>;
  /** The device that asks for its socket. */
  ofUpgrade(request: IncomingMessage): Promise<string>;
}

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const { store, clock, limiter, addresses, wrongSecrets, lastUsed } = deps;

  return {
    async ofRequest({ access }, request, reply) {
      if (access === 'Public') return { key: null, deviceId: null };
      const nowMs = clock.nowMs();
      if (access === 'Device') {
        const deviceId = await lookUp(request.raw, findDevice);
        count(limiter.take(`device ${deviceId}`, DEVICE_LIMIT, nowMs), reply);
        return { key: null, deviceId };
      }
      const key = await lookUp(request.raw, findKey);
      count(limiter.take(`key ${key.id}`, RATE_LIMITS[key.scope], nowMs), reply);
      lastUsed.note(key.id, nowMs);
      if (!includes(key.scope, access))
        throw refusal(
          'INSUFFICIENT_SCOPE',
          `This needs a key of scope ${access}; this one has ${key.scope}.`,
        );
      return { key, deviceId: null };
    },
    async ofUpgrade(request) {
      const deviceId = await lookUp(request, findDevice);
      requireAllowed(limiter.take(`device ${deviceId}`, DEVICE_LIMIT, clock.nowMs()));
      return deviceId;
    },
  };

  /** Looks the secret of a request up, unless its address gave too many wrong ones. */
  async function lookUp<T>(
    request: IncomingMessage,
    find: (hash: string, nowMs: number) => Promise<T>,
  ): Promise<T> {
    const secret = bearer(request);
    const nowMs = clock.nowMs();
    const address = addresses.of(request);
    // Looked up by hash: how long that takes says nothing about the secret.
    const hash = hashSecret(secret);
    const refused = wrongSecrets.refused(address, { hash, chosen: !OWN_SECRET.test(secret) }, nowMs);
    if (refused) requireAllowed(refused, 'Too many wrong keys from this address; wait.');
    try {
      const found = await find(hash, nowMs);
      wrongSecrets.right(address, hash);
      return found;
    } catch (error) {
      if (isRefusal(error) && ERRORS[error.refusal].status === 401) {
        wrongSecrets.wrong(address, nowMs);
        // Revoked, expired or removed, by whomever.
        wrongSecrets.forget(hash);
      }
      throw error;
    }
  }

  async function findKey(hash: string, nowMs: number): Promise<{ id: string; name: string; scope: Scope }> {
    const row = await store.apiKeys.findByHash(hash);
    if (!row) throw unauthorized('This API key is not known, or was revoked.');
    if (row.expires_at !== null && row.expires_at <= nowMs) throw unauthorized('This API key has expired.');
    return { id: row.id, name: row.name, scope: scopeSchema.parse(row.scope) };
  }

  /** The device that a token belongs to; its first use ends the pairing session. */
  async function findDevice(hash: string, nowMs: number): Promise<string> {
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
  requireAllowed(allowance);
}

function requireAllowed({ allowed, limit, resetSeconds }: Allowance, message?: string): void {
  if (allowed) return;
  throw refusal('RATE_LIMITED', message ?? `More than ${limit} requests in the window; slow down.`, {
    headers: { 'retry-after': String(resetSeconds) },
  });
}
