/** The code of an error of Node.js or SQLite, such as `ENOENT` or `SQLITE_FULL`; empty when it has none. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** The message of an error, or the text of anything else that was thrown. */
export const errorMessage = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);
