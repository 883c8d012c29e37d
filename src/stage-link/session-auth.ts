import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const COOKIE_NAME = 'placard_session';
const LAUNCH_TOKEN_LIFETIME_MS = 120_000;
const MAX_LAUNCH_TOKENS = 8;

/**
 * Authenticates requests to the loopback server. `session` is the secret of this launch. A restarted server with the
 * same secret accepts the still-open page.
 */
export function createSessionAuth(deps: { session: string; monoMs: () => number }) {
  const { session, monoMs } = deps;
  const expiresAtMsByToken = new Map<string, number>();

  return {
    /** A new one-time token for one page load; valid for two minutes. */
    issueLaunchToken(): string {
      const token = randomBytes(24).toString('base64url');
      expiresAtMsByToken.set(token, monoMs() + LAUNCH_TOKEN_LIFETIME_MS);
      const [oldest] = expiresAtMsByToken.keys();
      if (expiresAtMsByToken.size > MAX_LAUNCH_TOKENS && oldest !== undefined) {
        expiresAtMsByToken.delete(oldest);
      }
      return token;
    },
    /** True once for each issued token. */
    redeem(token: string): boolean {
      const expiresAtMs = expiresAtMsByToken.get(token);
      expiresAtMsByToken.delete(token);
      return expiresAtMs !== undefined && monoMs() < expiresAtMs;
    },
    /** `Set-Cookie` value that authenticates the page from now on. */
    setCookieHeader: `${COOKIE_NAME}=${session}; Path=/; HttpOnly; SameSite=Strict`,
    /** True when the request carries this launch's cookie. */
    isAuthenticated(request: IncomingMessage): boolean {
      const cookies = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
      return cookies.some(
        (pair) =>
          pair.startsWith(`${COOKIE_NAME}=`) && secretsMatch(pair.slice(COOKIE_NAME.length + 1), session),
      );
    },
  };
}

/** Compares in constant time, even for different lengths. */
function secretsMatch(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
