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

/** The user asked for what cannot be done; nothing was sent. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
  readonly kind: 'usage' | 'login' | 'notFound';

  constructor(message: string, kind: 'usage' | 'login' | 'notFound' = 'usage') {
    super(message);
    this.kind = kind;
  }
}

/** Screens that could not do what others did. */
export class SomeFailed extends Error {
  override readonly name = 'SomeFailed';
  readonly failures: readonly OperationResult[];

  constructor(failures: readonly OperationResult[], total: number, more = 0) {
    super(`${failures.length + more} of ${total} did not succeed.`);
    this.failures = failures;
  }
}

export const FAILURE_COLUMNS: Columns<OperationResult> = {
  DEVICE: ({ device_id: id }) => id,
  NAME: ({ device_name: name }) => name,
  FAILED: ({ error }) => error?.message ?? 'It was cancelled before the turn of this screen.',
};

export function exitCodeOf(error: unknown): number {
  if (error instanceof UsageError) {
    return { usage: EXIT.usage, login: EXIT.forbidden, notFound: EXIT.notFound }[error.kind];
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
  if (error instanceof SomeFailed) {
    return printSomeFailed(error, json);
  }
  if (json) {
    const { code, status, details, docUrl, requestId } = known ?? { code: 'FAILED' };
    const fields = { code, message, status, details, doc_url: docUrl, request_id: requestId };
    process.stderr.write(`${JSON.stringify({ error: fields })}\n`);
    return;
  }
  const lines = [`placard: ${message}`, ...problemsOf(known?.details)];
  if (known?.docUrl !== undefined) {
    lines.push(`  ${known.code}: ${known.docUrl}`);
  }
  process.stderr.write(`${lines.join('\n')}\n`);
}

function printSomeFailed({ message, failures }: SomeFailed, json: boolean): void {
  const table = failures.length === 0 ? '' : `${formatTable(failures, FAILURE_COLUMNS)}\n`;
  process.stderr.write(
    json
      ? `${JSON.stringify({ error: { code: 'SOME_FAILED', message, details: failures } })}\n`
      : `${table}placard: ${message}\n`,
  );
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
