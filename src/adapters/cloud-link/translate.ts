import { Fault } from '@placard/protocol';
import { askedWaitMs } from '../../core/backoff.ts';
import type { Random } from '../../core/ports.ts';

const UNREACHABLE =
  /^(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ECONNABORTED|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENETDOWN|EADDRNOTAVAIL|UND_ERR_.*|ABORT_ERR)$/;
const TLS = /^(CERT_|ERR_TLS|ERR_SSL|EPROTO|DEPTH_ZERO_SELF|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/;

/** The code of a network error, also when it is wrapped or one of several tried addresses. */
export function networkCode(error: unknown): string {
  if (!(error instanceof Error)) return '';
  if ('code' in error && typeof error.code === 'string') return error.code;
  if (error instanceof AggregateError) return networkCode(error.errors[0]);
  if (error.cause !== undefined) return networkCode(error.cause);
  return error.name === 'TimeoutError' ? 'ETIMEDOUT' : '';
}

/** What went wrong on the way to the cloud, in the player's own words. */
export function translateNetwork(error: unknown, facts: Record<string, unknown>): Fault {
  if (error instanceof Fault) return error;
  const code = networkCode(error);
  const known = { ...facts, reason: code || String(error) };
  if (TLS.test(code)) return new Fault('cloud.tls', 'later', known, error);
  if (UNREACHABLE.test(code)) return new Fault('cloud.unreachable', 'later', known, error);
  return new Fault('cloud.unreachable', 'later', known, error);
}

/** How long this player waits for a `Retry-After` in whole seconds; null when it is not stated. */
export function retryAfterMs(
  header: string | string[] | undefined,
  random: Pick<Random, 'next'>,
): number | null {
  if (typeof header !== 'string' || !/^\s*\d+\s*$/.test(header)) return null;
  return askedWaitMs(Number(header) * 1_000, random.next());
}
