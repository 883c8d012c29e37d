/** The cloud cannot start. The message is for the operator: what is wrong and what to do. */
export class StartupError extends Error {
  override readonly name = 'StartupError';

  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
  }
}
