import { ApiError } from '../domain/api-error.ts';

interface CheckedRequest {
  method: string;
  /** The host that the browser sees. */
  host: string;
  headers: { origin?: string | undefined };
}

/**
 * Refuses a request of a page that is not of this cloud, because a browser adds the cookies of this cloud to it. Every
 * browser sends `Origin` with a request that can change something; only where nothing is lost without it, it may be missing.
 */
export function requireOwnOrigin(
  { method, host, headers: { origin } }: CheckedRequest,
  { publicUrl, mayBeMissing }: { publicUrl: string; mayBeMissing: boolean },
): void {
  if (['GET', 'HEAD', 'OPTIONS'].includes(method) || (origin === undefined && mayBeMissing)) {
    return;
  }
  const own = new URL(publicUrl);
  if (origin !== undefined && (origin === own.origin || origin === `${own.protocol}//${host}`)) {
    return;
  }
  throw new ApiError(
    'ORIGIN_NOT_ALLOWED',
    origin === undefined
      ? 'A request with a session must have the header Origin. Programs use an API key instead.'
      : `Pages of ${origin.slice(0, 200)} may not use the sessions of this cloud; its own are at ${own.origin}.`,
  );
}
