import type { ErrorCode } from './types.ts';

export interface PlacardErrorFields {
  /** Newer clouds may have codes that this version does not know. */
  code: ErrorCode | (string & {});
  message: string;
  /** HTTP status; 0 when no response came. */
  status: number;
  details?: unknown;
  docUrl?: string | undefined;
  requestId?: string | undefined;
  retryAfterMs?: number | undefined;
  cause?: unknown;
}

/**
 * A request that failed. The cloud's own errors have its `code`; `CONNECTION_FAILED`, `TIMEOUT` and `INVALID_RESPONSE` say
 * that no response of the cloud came.
 */
export class PlacardError extends Error {
  override readonly name = 'PlacardError';
  readonly code: ErrorCode | (string & {});
  readonly status: number;
  /** For `VALIDATION_ERROR` a list of `{ path, message }`, otherwise as the code says. */
  readonly details: unknown;
  /** A page that says what to do. */
  readonly docUrl: string | undefined;
  /** Names the request in the log of the cloud. */
  readonly requestId: string | undefined;
  /** How long the cloud asks to wait. */
  readonly retryAfterMs: number | undefined;

  constructor(fields: PlacardErrorFields) {
    super(fields.message, { cause: fields.cause });
    this.code = fields.code;
    this.status = fields.status;
    this.details = fields.details;
    this.docUrl = fields.docUrl;
    this.requestId = fields.requestId;
    this.retryAfterMs = fields.retryAfterMs;
  }
}
