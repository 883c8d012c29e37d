import { readFileSync } from 'node:fs';
import { errorCode } from '../domain/error-details.ts';
import { StartupError } from '../domain/startup-error.ts';

export const SECRET_PATTERN = /^[\w.~+/=-]{16,200}$/;
export const SECRET_HINT = 'Give 16 to 200 letters, digits or . ~ + / = - _';

/** Reads a secret from the file that this flag names; throws a `StartupError` if it contains none. */
export function readSecretFile(file: string, flag: string): string {
  let text: string;
  try {
    text = readFileSync(file, 'utf8').trim();
  } catch (cause) {
    throw new StartupError(`The file ${file} of ${flag} cannot be read (${errorCode(cause)}).`, cause);
  }
  if (!SECRET_PATTERN.test(text)) {
    throw new StartupError(`The file ${file} of ${flag} must contain only a key. ${SECRET_HINT}`);
  }
  return text;
}
