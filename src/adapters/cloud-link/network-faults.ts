import { Fault } from '@placard/protocol';
import { jitteredRetryAfterMs } from '../../core/backoff.ts';
import { errorCode } from '../../core/error-details.ts';
import type { Random } from '../../core/ports.ts';

const TLS = /^(CERT_|ERR_TLS|ERR_SSL|EPROTO|DEPTH_ZERO_SELF|SELF_SIGNED|UNABLE_TO_|HOSTNAME_MISMATCH)/;

/** The code of a network error, also of a wrapped one or of one among several tried addresses. */
export function networkErrorCode(error: unknown): string {
  if (!(error instanceof Error)) {
    return '';
  }
  const code = errorCode(error);
  if (code !== '') {
    return code;
  }
  if (error instanceof AggregateError) {
    return networkErrorCode(error.errors[0]);
  }
  if (error.cause !== undefined) {
    return networkErrorCode(error.cause);
  }
  return error.name === 'TimeoutError' ? 'ETIMEDOUT' : '';
}

/** Converts a network error on the way to the cloud into a `Fault`. */
export function toNetworkFault(error: unknown, details: Record<string, unknown>): Fault {
  if (error instanceof Fault) {
    return error;
  }
  const code = networkErrorCode(error);
  const allDetails = { ...details, reason: code || String(error) };
  return new Fault(TLS.test(code) ? 'cloud.tls' : 'cloud.unreachable', 'later', allDetails, error);
}

/** Milliseconds to wait for a `Retry-After` in whole seconds; null when it is missing or in another form. */
export function retryAfterMs(
  header: string | string[] | undefined,
  random: Pick<Random, 'next'>,
): number | null {
  if (typeof header !== 'string' || !/^\s*\d+\s*$/.test(header)) {
    return null;
  }
  return jitteredRetryAfterMs(Number(header) * 1_000, random.next());
}
