import type { IncomingMessage } from 'node:http';
import { ERRORS, scope as scopeSchema } from '@placard/protocol/api';
import type { Operation, Scope } from '@placard/protocol/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '../domain/clock.ts';
import { createRateLimiter } from '../domain/rate-limiter.ts';
import type { RateLimitResult, RateLimiter } from '../domain/rate-limiter.ts';
import { ApiError } from '../domain/api-error.ts';
import {
  DEVICE_REQUESTS_PER_MINUTE,
  REQUESTS_PER_MINUTE,
  ROLE_OF_SCOPE,
  SCOPE_OF_ROLE,
  SESSION_REQUESTS_PER_MINUTE,
  scopeAllows,
  TRANSFER_REQUESTS_PER_MINUTE,
} from '../domain/scope.ts';
import { isSessionLive } from '../domain/session-lifetime.ts';
import type { CloudDatabase } from '../database/cloud-database.ts';
import type { TokenCredential } from '../database/credentials.ts';
import type { SessionCredential } from '../database/sessions.ts';
import { ignoreStorageFailure } from '../domain/storage-failure.ts';
import type { AuthThrottle } from '../domain/auth-throttle.ts';
import type { ClientAddresses } from './client-address.ts';
import { UNAUTHENTICATED } from './operation-route.ts';
import type { Actor, Caller } from './operation-route.ts';
import type { KeyUsage } from './key-usage.ts';
import { requireOwnOrigin } from './require-own-origin.ts';
import { hashSecret } from './secrets.ts';
import { readSessionToken } from './session-cookie.ts';

/** A secret that this cloud generated: 256 random bits, which cannot be guessed by brute force. */
const GENERATED_SECRET = /^pl[kd]_[\w-]{43}$/;
/** A device token as players send it. */
const GENERATED_TOKEN_HEADER = /^Bearer (pld_[\w-]{43})$/;

export interface AuthenticatorDeps {
  database: CloudDatabase;
  clock: Clock;
  /** For API keys and sessions. */
  limiter: RateLimiter;
  clientAddresses: ClientAddresses;
  authThrottle: AuthThrottle;
  keyUsage: Pick<KeyUsage, 'record' | 'lastUsedMs'>;
  publicUrl: () => string;
  isHttps: () => boolean;
}

/** Authenticates requests, applies rate limits and checks scopes. */
export interface Authenticator {
  authenticateRequest(operation: Operation, request: FastifyRequest, reply: FastifyReply): Promise<Caller>;
  /** Returns the id of the device that opens a socket. */
  authenticateUpgrade(request: IncomingMessage): Promise<string>;
  /**
   * The device of a request that `authenticateRequest` would accept, of a token that has been right at its address before;
   * the request is counted. Null for any other request, which is not counted. A promise only where the token has to be
   * waited for.
   */
  recognizeDevice(request: IncomingMessage): RecognizedDevice | null | Promise<RecognizedDevice | null>;
}

export interface RecognizedDevice {
  deviceId: string;
  rateLimit: RateLimitResult;
}

export function createAuthenticator(deps: AuthenticatorDeps): Authenticator {
  const { database, clock, limiter, clientAddresses, authThrottle, keyUsage, publicUrl, isHttps } = deps;
  // Not persisted: the counts of devices are many, and only guard against mistakes.
  const deviceLimiter = createRateLimiter(60_000);

  return {
    async authenticateRequest(operation, request, reply) {
      const { access, ownRateLimit = false } = operation;
      if (access === 'Public') {
        if (operation.setsCookies) {
          requireOwnOrigin(request, { publicUrl: publicUrl(), mayBeMissing: true });
        }
        return UNAUTHENTICATED;
      }
      const nowMs = clock.nowMs();
      if (access === 'Device') {
        const token = readBearerToken(request.raw);
        const deviceId = await verifySecret(request.raw, token, findDevice);
        applyRateLimit(deviceLimiter.take(deviceId, DEVICE_REQUESTS_PER_MINUTE, nowMs), reply);
        return { ...UNAUTHENTICATED, deviceId };
      }
      const { authorization, cookie } = request.headers;
      const sessionToken = authorization === undefined ? readSessionToken(cookie, isHttps()) : null;
      const secret = sessionToken ?? readBearerToken(request.raw);
      const actor = await verifySecret(request.raw, secret, sessionToken === null ? findKey : findPerson);
      if (actor.session) {
        requireOwnOrigin(request, { publicUrl: publicUrl(), mayBeMissing: false });
      }
      const [name, limit] = actor.session
        ? [`session ${actor.session.id}`, SESSION_REQUESTS_PER_MINUTE]
        : [`key ${actor.id}`, REQUESTS_PER_MINUTE[actor.scope]];
      const counted = ownRateLimit
        ? await limiter.take(`transfer ${name}`, TRANSFER_REQUESTS_PER_MINUTE, nowMs)
        : await limiter.take(name, limit, nowMs);
      applyRateLimit(counted, reply);
      keyUsage.record(actor, nowMs);
      requirePermission(actor, operation);
      return { actor, deviceId: null, secret };
    },
    async authenticateUpgrade(request) {
      const deviceId = await verifySecret(request, readBearerToken(request), findDevice);
      requireWithinRateLimit(deviceLimiter.take(deviceId, DEVICE_REQUESTS_PER_MINUTE, clock.nowMs()));
      return deviceId;
    },
    recognizeDevice(request) {
      const secret = GENERATED_TOKEN_HEADER.exec(request.headers.authorization ?? '')?.[1];
      if (secret === undefined) {
        return null;
      }
      const address = clientAddresses.clientOf(request);
      const hash = hashSecret(secret);
      if (!authThrottle.isKnown({ address, hash })) {
        return null;
      }
      const admit = (row: TokenCredential | undefined): RecognizedDevice | null => {
        if (!row || row.revoked_at !== null || row.first_used_at === null) {
          return null;
        }
        const rateLimit = deviceLimiter.take(row.device_id, DEVICE_REQUESTS_PER_MINUTE, clock.nowMs());
        if (!rateLimit.allowed) {
          return null;
        }
        authThrottle.recordSuccess(address, hash);
        return { deviceId: row.device_id, rateLimit };
      };
      const row = database.credentials.findToken(hash);
      return row instanceof Promise ? row.then(admit) : admit(row);
    },
  };

  /** Looks up the secret of a request, unless its address has sent too many wrong ones. */
  async function verifySecret<T>(
    request: IncomingMessage,
    secret: string,
    find: (hash: string, nowMs: number) => Promise<T>,
  ): Promise<T> {
    const nowMs = clock.nowMs();
    const address = clientAddresses.clientOf(request);
    // Looked up by hash, so that timing reveals nothing about the secret.
    const hash = hashSecret(secret);
    const attempt = { address, hash, isUserChosen: find !== findPerson && !GENERATED_SECRET.test(secret) };
    const throttled = await authThrottle.check(attempt, nowMs);
    if (throttled) {
      refuseAddress(throttled);
    }
    try {
      const found = await find(hash, nowMs);
      authThrottle.recordSuccess(address, hash);
      return found;
    } catch (error) {
      if (error instanceof ApiError && ERRORS[error.code].status === 401) {
        const refused = await authThrottle.recordFailure(attempt, nowMs);
        if (refused) {
          refuseAddress(refused);
        }
      }
      throw error;
    }
  }

  async function findKey(hash: string, nowMs: number): Promise<Actor> {
    const row = await database.credentials.findKey(hash);
    if (!row) {
      throw unauthorizedError('This API key does not exist or was revoked.');
    }
    if (row.expires_at !== null && row.expires_at <= nowMs) {
      throw unauthorizedError('This API key has expired.');
    }
    const { id, name } = row;
    return { type: 'api_key', id, name, scope: scopeSchema.parse(row.scope), stores: null, session: null };
  }

  /** Who has signed in. What was changed about them counts from this request on. */
  async function findPerson(hash: string, nowMs: number): Promise<Actor> {
    const row = await database.credentials.findSession(hash);
    if (!row || row.disabled_at !== null || !isLive(row, nowMs)) {
      throw unauthorizedError('This session has ended; sign in again.');
    }
    return {
      type: 'user',
      id: row.user_id,
      name: row.name,
      scope: SCOPE_OF_ROLE[row.role],
      stores: row.all_stores === 1 ? null : (row.stores?.split(',') ?? []),
      session: { id: row.id, expiresMs: row.expires_at },
    };
  }

  /** Also uses that are not written yet count. */
  function isLive(session: SessionCredential, nowMs: number): boolean {
    const lastUsedMs = Math.max(session.last_used_at, keyUsage.lastUsedMs(session.id) ?? 0);
    return isSessionLive({ ...session, last_used_at: lastUsedMs }, nowMs);
  }

  /** The device that a token belongs to. The first use of a token ends its pairing session. */
  async function findDevice(hash: string, nowMs: number): Promise<string> {
    const row = await database.credentials.findToken(hash);
    if (!row) {
      throw unauthorizedError('This device token does not exist.');
    }
    if (row.revoked_at !== null) {
      throw new ApiError('DEVICE_UNPAIRED', 'This device was removed; pair it again.');
    }
    if (row.first_used_at === null) {
      await database
        .transaction(async (tx) => {
          await tx.devices.markTokenUsed(hash, nowMs);
          await tx.pairings.end(row.device_id);
        })
        // Retried at the next request: a full disk must not keep devices from reading.
        .catch(ignoreStorageFailure);
    }
    return row.device_id;
  }
}

function requirePermission(actor: Actor, { access }: Pick<Operation, 'access'>): void {
  if (access === 'Person') {
    if (!actor.session) {
      throw new ApiError('SESSION_REQUIRED', 'Sign in for this: an API key is not a person.');
    }
    return;
  }
  // Checked before: the operations of devices and strangers.
  const needed = scopeSchema.parse(access);
  if (!scopeAllows(actor.scope, needed)) {
    throw new ApiError('INSUFFICIENT_SCOPE', describeMissingScope(actor, needed));
  }
}

const describeMissingScope = ({ session, scope }: Actor, needed: Scope): string =>
  session
    ? `This needs the role ${ROLE_OF_SCOPE[needed]}; yours is ${ROLE_OF_SCOPE[scope]}. Ask an Admin.`
    : `This operation needs an API key of scope ${needed}; this key has ${scope}.`;

export function readBearerToken(request: { headers: { authorization?: string | undefined } }): string {
  const header = request.headers.authorization;
  if (header === undefined) {
    throw unauthorizedError('Send the header "Authorization: Bearer <API_KEY>".');
  }
  const match = /^Bearer +([\w.~+/=-]{1,500}) *$/i.exec(header);
  if (!match?.[1]) {
    throw unauthorizedError('The Authorization header must read "Bearer <API_KEY>".');
  }
  return match[1];
}

export const unauthorizedError = (message: string) => new ApiError('UNAUTHORIZED', message);

/** Sets the rate limit headers, and throws when the limit is exceeded. */
export function applyRateLimit(rateLimit: RateLimitResult, reply: FastifyReply): void {
  reply.headers(rateLimitHeaders(rateLimit));
  requireWithinRateLimit(rateLimit);
}

export const rateLimitHeaders = ({ limit, remaining, resetSeconds }: RateLimitResult) => ({
  'ratelimit-limit': limit,
  'ratelimit-remaining': remaining,
  'ratelimit-reset': resetSeconds,
});

const refuseAddress = (throttled: RateLimitResult): void =>
  requireWithinRateLimit(throttled, 'Too many wrong keys from this address; wait.');

function requireWithinRateLimit({ allowed, limit, resetSeconds }: RateLimitResult, message?: string): void {
  if (allowed) {
    return;
  }
  throw new ApiError('RATE_LIMITED', message ?? `More than ${limit} requests in the window; slow down.`, {
    headers: { 'retry-after': String(resetSeconds) },
  });
}
