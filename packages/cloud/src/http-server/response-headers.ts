import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Of every body in the response envelope. */
export const JSON_TYPE = 'application/json; charset=utf-8';

/** The id that the client has given its request, or else a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,100}$/.test(given) ? given : randomUUID();
}

/** The headers that all responses start with; the caller may add its own to the object. */
export function firstHeaders(
  requestId: string,
  { isHttps, isDraining }: { isHttps: boolean; isDraining: boolean },
): Record<string, string | number> {
  const headers: Record<string, string | number> = {
    'x-request-id': requestId,
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    // Default; the pages set their own policy.
    'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    'x-frame-options': 'DENY',
  };
  if (isHttps) {
    headers['strict-transport-security'] = 'max-age=31536000';
  }
  if (isDraining) {
    headers['connection'] = 'close';
  }
  return headers;
}
