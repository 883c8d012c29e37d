import type { IncomingMessage } from 'node:http';
import { ERRORS } from '@placard/protocol/api';
import type { ErrorEnvelope } from '@placard/protocol/api';
import type { FastifyReply } from 'fastify';
import type { Logger } from 'pino';
import { ApiError, validationError } from '../domain/api-error.ts';
import { storageFailureOf, STORAGE_FAILURE_MESSAGES } from '../domain/storage-failure.ts';
import type { StorageFailure } from '../domain/storage-failure.ts';
import { errorCode, errorMessage, errorStatusCode } from '../domain/error-details.ts';
import { JSON_TYPE } from './response-headers.ts';

/** The page that says what each error code means and what to do; each code is an anchor. */
export const ERRORS_PAGE = '/docs/errors';

export interface ErrorResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  body: ErrorEnvelope;
}

/** The error envelope, its HTTP status and headers. Its `doc_url` is on the cloud at `publicUrl`. */
export function toErrorResponse(error: ApiError, publicUrl: string): ErrorResponse {
  const { status } = ERRORS[error.code];
  return {
    status,
    headers: status === 401 ? { 'www-authenticate': 'Bearer', ...error.headers } : error.headers,
    body: {
      success: false,
      error: {
        code: error.code,
        message: error.message,
        doc_url: `${publicUrl}${ERRORS_PAGE}#${error.code}`,
        ...(error.details === undefined ? {} : { details: error.details }),
      },
    },
  };
}

/** The request that failed. */
export interface FailedRequest {
  id: string;
  raw: IncomingMessage;
  routeOptions: { bodyLimit?: number | undefined };
}

const FRAMEWORK_ERRORS: Record<string, (request: FailedRequest) => ApiError> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ({ routeOptions }) =>
    new ApiError('PAYLOAD_TOO_LARGE', `The body is larger than ${(routeOptions.bodyLimit ?? 0) / 1024} KiB.`),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    new ApiError('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    validationError([{ path: 'content-length', message: 'does not match the length of the body' }]),
  FST_ERR_BAD_URL: () => validationError([{ path: 'url', message: 'cannot be decoded' }]),
};

const UNAVAILABLE_REASONS: Record<StorageFailure, { reason: string; retryAfterSeconds: number }> = {
  full: { reason: 'disk_full', retryAfterSeconds: 60 },
  busy: { reason: 'database_busy', retryAfterSeconds: 5 },
  read_only: { reason: 'disk_read_only', retryAfterSeconds: 60 },
  database_full: { reason: 'database_full', retryAfterSeconds: 60 },
  database_unavailable: { reason: 'database_unavailable', retryAfterSeconds: 5 },
  media_store: { reason: 'media_store_unavailable', retryAfterSeconds: 15 },
};

/** What failed because of disk, database or media store, with when to try again. */
function storageUnavailable(failure: StorageFailure): ApiError {
  const { reason, retryAfterSeconds } = UNAVAILABLE_REASONS[failure];
  return new ApiError('UNAVAILABLE', STORAGE_FAILURE_MESSAGES[failure], {
    details: { reason },
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

/** Says that a WebSocket cannot be opened now, with when to try again. */
export const socketUnavailable = (message: string): ApiError =>
  new ApiError('UNAVAILABLE', message, { headers: { 'retry-after': '5' } });

/** Maps any error of opening a WebSocket to an API error. Unexpected errors are logged; their details are not exposed. */
export function toSocketError(error: unknown, log: Logger): ApiError {
  if (error instanceof ApiError) {
    return error;
  }
  const failure = storageFailureOf(error);
  if (failure !== null) {
    return storageUnavailable(failure);
  }
  log.error({ err: error }, 'socket.open_failed');
  return socketUnavailable('The socket could not be opened.');
}

/** Maps any error to an API error. Unexpected errors are logged, and their details are not exposed. */
export function toApiError(error: unknown, request: FailedRequest, log: Logger): ApiError {
  if (error instanceof ApiError) {
    return error;
  }
  const failure = storageFailureOf(error);
  if (failure) {
    // Why was already logged when its state changed.
    const { reason } = UNAVAILABLE_REASONS[failure];
    log[failure === 'full' ? 'info' : 'warn']({ request_id: request.id, reason }, 'request.rejected');
    return storageUnavailable(failure);
  }
  const toKnownError = FRAMEWORK_ERRORS[errorCode(error) ?? ''];
  if (toKnownError) {
    return toKnownError(request);
  }
  const status = errorStatusCode(error);
  if (status !== undefined && status >= 400 && status < 500) {
    return validationError([{ path: '', message: 'the request could not be read' }]);
  }
  const isCut = !request.raw.complete || errorCode(error) === 'ERR_STREAM_PREMATURE_CLOSE';
  if (request.raw.destroyed && isCut) {
    // The client disconnected, or was dropped, or has come back with another request: nobody reads the response, and it is not an internal error.
    log.info({ request_id: request.id, reason: errorMessage(error) }, 'request.aborted');
    return validationError([{ path: '', message: 'the request ended before it was complete' }]);
  }
  log.error({ request_id: request.id, err: error }, 'request.failed');
  return new ApiError('INTERNAL_ERROR', `Internal error. Report it with the request id ${request.id}.`);
}

export function sendApiError(error: ApiError, reply: FastifyReply, publicUrl: string): FastifyReply {
  const { status, headers, body } = toErrorResponse(error, publicUrl);
  return reply.code(status).headers(headers).type(JSON_TYPE).send(body);
}
