import { errorMessage } from './error-details.ts';

/** Undefined for a text that is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/**
 * The message of an error of `JSON.parse` or of the check of what it returned. JavaScript engines quote a part of a text that
 * is not JSON; that part is left out, because files with settings and identities contain secrets.
 */
export function jsonErrorMessage(error: unknown): string {
  const message = errorMessage(error);
  return error instanceof SyntaxError ? message.replace(/, (?:\.\.\.)?".*$/s, '') : message;
}
