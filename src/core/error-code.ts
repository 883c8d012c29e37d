/** The code of an error of Node.js or SQLite, such as `ENOENT` or `SQLITE_FULL`; empty when it has none. */
export const errorCode = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
