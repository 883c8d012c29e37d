import { PlacardError } from '@placard/client';
import type { OperationResult } from '@placard/client';
import { formatTable } from './table.ts';
import type { Columns } from './table.ts';

/** Exit codes of the program. */
export const EXIT = {
  failed: 1,
  usage: 2,
  forbidden: 3,
  notFound: 4,
  unavailable: 5,
  interrupted: 130,
} as const;

/** What the user asked for cannot be done, by exit code and the `code` for programs. */
const USAGE = {
  usage: { exit: EXIT.usage, code: 'WRONG_ARGUMENTS' },
  login: { exit: EXIT.forbidden, code: 'NO_KEY' },
  notFound: { exit: EXIT.notFound, code: 'NOT_FOUND' },
} as const;

/** The user asked for what cannot be done; nothing was sent. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly kind: keyof typeof USAGE;

  constructor(message: string, kind: keyof typeof USAGE = 'usage') {
    super(message);
    this.kind = kind;
  }
}

/** Screens or files that failed while others did not. */
export class SomeFailed<T extends object> extends Error {
  override readonly name = 'SomeFailed';
  /** For programs. */
  readonly failures: readonly object[];
  /** For people; empty when there are no `failures`. */
  readonly table: string;

  /** `more` have failed without one of the `failures`. */
  constructor(failures: readonly T[], columns: Columns<T>, total: number, more = 0) {
    super(`${failures.length + more} of ${total} did not succeed.`);
    this.failures = failures;
    this.table = failures.length === 0 ? '' : `${formatTable(failures, columns)}\n`;
  }
}

export const FAILURE_COLUMNS: Columns<OperationResult> = {
  DEVICE: ({ device_id: id }) => id,
  NAME: ({ device_name: name }) => name,
  FAILED: ({ error }) => error?.message ?? 'It was cancelled before the turn of this screen.',
};

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) {
    return USAGE[error.kind].exit;
  }
  if (!(error instanceof PlacardError)) {
    return EXIT.failed;
  }
  const { status } = error;
  if (status === 401 || status === 403) {
    return EXIT.forbidden;
  }
  return status === 404
    ? EXIT.notFound
    : status === 0 || status === 429 || status >= 500
      ? EXIT.unavailable
      : EXIT.failed;
}

/** The cloud's own sentence, the fields or screens that are wrong, and where more is written; for programs as JSON. */
export function printFailure(error: unknown, json: boolean): void {
  const message = error instanceof Error ? error.message : String(error);
  const known = error instanceof PlacardError ? error : null;
  if (json) {
    process.stderr.write(`${JSON.stringify({ error: errorFields(error) })}\n`);
    return;
  }
  if (error instanceof SomeFailed) {
    process.stderr.write(`${error.table}placard: ${message}\n`);
    return;
  }
  const problems = problemsOf(known?.details);
  // The message of the cloud is the first of them.
  const lines =
    problems.length > 1 ? ['placard: The request is not valid:', ...problems] : [`placard: ${message}`];
  if (known?.docUrl !== undefined) {
    lines.push(`  ${known.code}: ${known.docUrl}`);
  }
  process.stderr.write(`${lines.join('\n')}\n`);
}

/** An error for programs. */
export interface ErrorFields {
  code: string;
  message: string;
  [more: string]: unknown;
}

export function errorFields(error: unknown): ErrorFields {
  const message = error instanceof Error ? error.message : String(error);
  if (error instanceof SomeFailed) {
    return { code: 'SOME_FAILED', message, details: error.failures };
  }
  const { code, status, details, docUrl, requestId } =
    error instanceof PlacardError ? error : { code: localCodeOf(error) };
  return { code, message, status, details, doc_url: docUrl, request_id: requestId };
}

/** A file or folder that could not be read, as Node says it. */
export const isFileError = (error: unknown): boolean => error instanceof Error && 'syscall' in error;

/** The `code` of an error that the cloud knows nothing of. */
function localCodeOf(error: unknown): string {
  if (error instanceof UsageError) {
    return USAGE[error.kind].code;
  }
  return isFileError(error) ? 'FILE_FAILED' : 'FAILED';
}

/** The fields of a `VALIDATION_ERROR`. */
const problemsOf = (details: unknown): string[] =>
  Array.isArray(details)
    ? details.flatMap((each: unknown) =>
        typeof each === 'object' && each !== null && 'path' in each && 'message' in each
          ? [`  ${String(each.path)}: ${String(each.message)}`]
          : [],
      )
    : [];
