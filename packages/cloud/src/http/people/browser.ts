import type { FastifyReply, FastifyRequest } from 'fastify';
import { ApiError } from '../../domain/api-error.ts';
import type { RateLimitResult } from '../../domain/rate-limiter.ts';
import type { ClientAddresses } from '../../http-server/client-address.ts';
import { TooManyPasswords } from '../../people/password-hash.ts';
import type { BrowserRequest, Outcome } from '../../people/sign-in-engine.ts';

/** What the engine needs of a request. */
export const toBrowserRequest = (
  { raw, headers }: Pick<FastifyRequest, 'raw' | 'headers'>,
  clientAddresses: ClientAddresses,
): BrowserRequest => ({
  cookie: headers.cookie,
  userAgent: headers['user-agent'],
  address: clientAddresses.clientOf(raw),
});

/** The value of an outcome, whose cookies the browser gets; throws what is to be answered otherwise. */
export async function resolveOutcome<T>(
  reply: Pick<FastifyReply, 'header'>,
  outcome: Promise<Outcome<T>>,
  message: string,
): Promise<T> {
  const { cookies, ...result } = await outcome.catch((error: unknown) => {
    if (error instanceof TooManyPasswords) {
      throw new ApiError('UNAVAILABLE', 'Too many people are signing in at the moment; try again.', {
        details: { reason: 'too_many_at_once' },
        headers: { 'retry-after': '2' },
      });
    }
    throw error;
  });
  if (result.ok) {
    if (cookies.length > 0) {
      reply.header('set-cookie', [...cookies]);
    }
    return result.value;
  }
  if (result.reason === 'locked') {
    throw new ApiError('RATE_LIMITED', 'Too many wrong codes; try again in 15 minutes.', {
      headers: { 'retry-after': '900' },
    });
  }
  throw new ApiError('SIGN_IN_FAILED', message);
}

/** Throws when there were too many attempts. */
export function requireAttemptsLeft(refused: RateLimitResult | null): void {
  if (refused) {
    throw new ApiError('RATE_LIMITED', 'Too many attempts to sign in; wait.', {
      headers: { 'retry-after': String(refused.resetSeconds) },
    });
  }
}
