/** An error that prevents the start; its message tells the operator what to do. */
export interface StartupError extends Error {
  readonly isStartupError: true;
}

export function startupError(message: string, cause?: unknown): StartupError {
  return Object.assign(new Error(message, { cause }), { isStartupError: true as const });
}

export function isStartupError(error: unknown): error is StartupError {
  return error instanceof Error && 'isStartupError' in error;
}
