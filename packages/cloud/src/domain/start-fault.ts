/** A reason why the cloud cannot start, as one sentence for the operator that says what to do. */
export interface StartFault extends Error {
  readonly isStartFault: true;
}

export function startFault(message: string, cause?: unknown): StartFault {
  return Object.assign(new Error(message, { cause }), { isStartFault: true as const });
}

export function isStartFault(error: unknown): error is StartFault {
  return error instanceof Error && 'isStartFault' in error;
}
