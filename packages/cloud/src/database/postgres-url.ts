import { StartupError } from '../domain/startup-error.ts';

/** The URL without user, password and options, for messages. Throws a `StartupError` if it is not one of PostgreSQL. */
export function describePostgres(url: string): string {
  const parsed = URL.parse(url);
  if (!parsed || !['postgres:', 'postgresql:'].includes(parsed.protocol)) {
    throw new StartupError(
      'The URL of the database is not valid. It must look like postgres://user:password@host:5432/name; ' +
        'write special characters of the password as %XX.',
    );
  }
  return `${parsed.protocol}//${parsed.host}${parsed.pathname}`;
}
