/** What is known about something that was thrown, whatever it is. */

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** The code of a Node or library error, such as `ENOENT`. */
export const codeOf = (error: unknown): string | undefined =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;

export const statusCodeOf = (error: unknown): number | undefined =>
  error instanceof Error && 'statusCode' in error && typeof error.statusCode === 'number'
    ? error.statusCode
    : undefined;
