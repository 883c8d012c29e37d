import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Of every body in the response envelope. */
export const JSON_TYPE = 'application/json; charset=utf-8';

const HSTS = { 'strict-transport-security': 'max-age=31536000' };
const CLOSE = { connection: 'close' };

/** The id that the client has given its request, or else a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && /^[\w.-]{1,100}$/.test(given) ? given : randomUUID();
}

/** The headers that all responses start with. */
export const firstHeaders = (
  requestId: string,
  { isHttps, isDraining }: { isHttps: boolean; isDraining: boolean },
) => ({
  'x-request-id': requestId,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
  // Default; the pages set their own policy.
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'x-frame-options': 'DENY',
  ...(isHttps ? HSTS : {}),
  ...(isDraining ? CLOSE : {}),
});
