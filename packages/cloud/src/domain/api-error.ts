import type { ErrorCode, Problem } from '@placard/protocol/api';

/** A request error defined by the API contract: thrown by handlers, serialized by the server. */
export class ApiError extends Error {
  override readonly name = 'ApiError';
  readonly code: ErrorCode;
  readonly details: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    code: ErrorCode,
    message: string,
    more: { details?: unknown; headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
  ) {
    super(message, more.cause === undefined ? undefined : { cause: more.cause });
    this.code = code;
    this.details = more.details;
    this.headers = more.headers ?? {};
  }
}

/** A body of 1 MiB can have 100,000 problems; only this many are listed. */
const MAX_LISTED_PROBLEMS = 100;

/** The error for invalid fields: lists the problems, or the first of them when there are very many. */
export function validationError(problems: readonly Problem[]): ApiError {
  const first = problems[0];
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return new ApiError(
    'VALIDATION_ERROR',
    first ? `${first.path || 'request'}: ${first.message}${more}` : 'The request is not valid.',
    { details: problems.slice(0, MAX_LISTED_PROBLEMS) },
  );
}

/** For `catch` of a job: what is busy or stopping is left to the next run; throws any other error again. */
export function ignoreBusy(error: unknown): void {
  if (!(error instanceof ApiError)) {
    throw error;
  }
}
