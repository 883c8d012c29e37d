/** Of the cookie of a session, without the prefix that it has where the cloud is reached by https. */
const NAME = 'placard.session_token';
/** Browsers accept a cookie of this name by https alone. */
const SECURE_PREFIX = '__Secure-';

/** A generated token, then a dot and its signature, which whoever looks the token up does not need. */
const VALUE = /^([\w-]{20,100})\./;

/** The token of the session in a `Cookie` header; null when there is none. */
export function readSessionToken(header: string | undefined, isHttps: boolean): string | null {
  const name = isHttps ? SECURE_PREFIX + NAME : NAME;
  for (const part of header?.split(';') ?? []) {
    const [key, value = ''] = part.trim().split('=', 2);
    if (key === name) {
      return VALUE.exec(value)?.[1] ?? null;
    }
  }
  return null;
}

/** A value of `Set-Cookie` that makes the browser forget the session. */
export const forgetSessionCookie = (isHttps: boolean): string =>
  `${isHttps ? SECURE_PREFIX : ''}${NAME}=; Max-Age=0; Path=/; HttpOnly; SameSite=Strict${isHttps ? '; Secure' : ''}`;
