import { ERRORS } from '@placard/protocol/api';
import type { ErrorEnvelope } from '@placard/protocol/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { invalid, isRefusal, refusal } from '../domain/refusal.ts';
import type { Refusal } from '../domain/refusal.ts';
import { storageTroubleOf, TROUBLE_SENTENCES } from '../domain/storage-trouble.ts';
import type { StorageTrouble } from '../domain/storage-trouble.ts';
import { codeOf, messageOf, statusCodeOf } from '../domain/error-facts.ts';

/** The error envelope and its HTTP status. */
export function errorBody(error: Refusal): { status: number; body: ErrorEnvelope } {
  return {
    status: ERRORS[error.refusal].status,
    body: {
      success: false,
      error: {
        code: error.refusal,
        message: error.message,
        ...(error.details === undefined ? {} : { details: error.details }),
      },
    },
  };
}

const KNOWN: Record<string, (request: FastifyRequest) => Refusal> = {
  FST_ERR_CTP_BODY_TOO_LARGE: ({ routeOptions }) =>
    refusal('PAYLOAD_TOO_LARGE', `The body is larger than ${(routeOptions.bodyLimit ?? 0) / 1024} KiB.`),
  FST_ERR_CTP_INVALID_MEDIA_TYPE: () =>
    refusal('UNSUPPORTED_MEDIA_TYPE', 'Send the body as application/json.'),
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: () =>
    invalid([{ path: 'content-length', message: 'is not the length of the body' }]),
  FST_ERR_BAD_URL: () => invalid([{ path: 'url', message: 'cannot be decoded' }]),
};

const TROUBLES: Record<StorageTrouble, { reason: string; retryAfterSeconds: number }> = {
  full: { reason: 'disk_full', retryAfterSeconds: 60 },
  busy: { reason: 'database_busy', retryAfterSeconds: 5 },
  read_only: { reason: 'disk_read_only', retryAfterSeconds: 60 },
};

/** A write that the disk or the database did not take. Whoever watches the disk has told the operator. */
function unavailable(trouble: StorageTrouble, request: FastifyRequest, log: Logger): Refusal {
  const { reason, retryAfterSeconds } = TROUBLES[trouble];
  log[trouble === 'full' ? 'info' : 'warn']({ event: 'request.unavailable', requestId: request.id, reason });
  return refusal('UNAVAILABLE', TROUBLE_SENTENCES[trouble], {
    details: { reason },
    headers: { 'retry-after': String(retryAfterSeconds) },
  });
}

/** Any failure as a refusal; what we did not foresee is logged, and told without its inside. */
export function toRefusal(error: unknown, request: FastifyRequest, log: Logger): Refusal {
  if (isRefusal(error)) return error;
  const trouble = storageTroubleOf(error);
  if (trouble) return unavailable(trouble, request, log);
  const known = KNOWN[codeOf(error) ?? ''];
  if (known) return known(request);
  const status = statusCodeOf(error);
  if (status !== undefined && status >= 400 && status < 500)
    return invalid([{ path: '', message: 'could not be read' }]);
  if (request.raw.destroyed && !request.raw.complete) {
    // Its client left in the middle of it, or was given up: nobody reads the answer, and nothing is broken.
    log.info({ event: 'request.aborted', requestId: request.id, reason: messageOf(error) });
    return invalid([{ path: '', message: 'ended before it was complete' }]);
  }
  log.error({ event: 'request.crashed', requestId: request.id, err: error }, 'a request crashed');
  return refusal('INTERNAL_ERROR', `Something broke on our side. Quote the request id ${request.id}.`);
}

export function sendRefusal(error: Refusal, reply: FastifyReply): FastifyReply {
  const { status, body } = errorBody(error);
  return reply.code(status).headers(error.headers).type('application/json; charset=utf-8').send(body);
}
