import type { ErrorCode, Problem } from '@placard/protocol/api';

/** A request that is answered with an error of the contract: thrown by handlers, written out by the server. */
export interface Refusal extends Error {
  readonly refusal: ErrorCode;
  readonly details?: unknown;
  readonly headers: Readonly<Record<string, string>>;
}

export function refusal(
  code: ErrorCode,
  message: string,
  more: { details?: unknown; headers?: Readonly<Record<string, string>>; cause?: unknown } = {},
): Refusal {
  const { details, headers = {}, cause } = more;
  return Object.assign(new Error(message, { cause }), {
    refusal: code,
    headers,
    ...(details === undefined ? {} : { details }),
  });
}

/** Problems that are named; a body of 1 MiB may have 100,000 of them. */
const MOST_NAMED = 100;

/** A request whose fields are wrong; problems are named at once, and counted when they are very many. */
export function invalid(problems: readonly Problem[]): Refusal {
  const first = problems[0];
  const more = problems.length > 1 ? ` (and ${problems.length - 1} more)` : '';
  return refusal(
    'VALIDATION_ERROR',
    first ? `${first.path || 'request'}: ${first.message}${more}` : 'The request is not valid.',
    { details: problems.slice(0, MOST_NAMED) },
  );
}

export function isRefusal(error: unknown): error is Refusal {
  return error instanceof Error && 'refusal' in error;
}
