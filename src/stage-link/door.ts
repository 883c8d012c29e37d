import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

/** Who may speak to the loopback server. */
export interface Door {
  /** A new one-time pass for one page load; good for two minutes. */
  issuePass(): string;
  /** True once for each issued pass. */
  redeem(pass: string): boolean;
  /** `Set-Cookie` value that lets a page in from now on. */
  readonly cookie: string;
  /** True when the request carries this launch's cookie. */
  knows(request: IncomingMessage): boolean;
}

const COOKIE_NAME = 'placard_session';
const PASS_LIFE_MS = 120_000;
const MOST_PASSES = 8;

/** `session` is the secret of this launch. A restarted server with the same one knows the still-open page. */
export function createDoor(deps: { session: string; monoMs: () => number }): Door {
  const { session, monoMs } = deps;
  const expiries = new Map<string, number>();

  return {
    issuePass() {
      const pass = randomBytes(24).toString('base64url');
      expiries.set(pass, monoMs() + PASS_LIFE_MS);
      const [oldest] = expiries.keys();
      if (expiries.size > MOST_PASSES && oldest !== undefined) expiries.delete(oldest);
      return pass;
    },
    redeem(pass) {
      const expiresAtMs = expiries.get(pass);
      expiries.delete(pass);
      return expiresAtMs !== undefined && monoMs() < expiresAtMs;
    },
    cookie: `${COOKIE_NAME}=${session}; Path=/; HttpOnly; SameSite=Strict`,
    knows(request) {
      const cookies = (request.headers.cookie ?? '').split(';').map((pair) => pair.trim());
      return cookies.some(
        (pair) =>
          pair.startsWith(`${COOKIE_NAME}=`) && sameSecret(pair.slice(COOKIE_NAME.length + 1), session),
      );
    },
  };
}

/** Compares in constant time, also for different lengths. */
function sameSecret(given: string, expected: string): boolean {
  return timingSafeEqual(digest(given), digest(expected));
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}
