import { ERRORS } from '@placard/protocol/api';
import type { ErrorCode, ErrorEnvelope } from '@placard/protocol/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { isRefusal, refusal } from '../domain/refusal.ts';
import type { Refusal } from '../domain/refusal.ts';
import { codeOf, statusCodeOf } from '../domain/error-facts.ts';

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

const KNOWN: Record<string, { code: ErrorCode; message: string }> = {
  FST_ERR_CTP_BODY_TOO_LARGE: { code: 'PAYLOAD_TOO_LARGE', message: 'The body is larger than 1 MiB.' },
  FST_ERR_CTP_INVALID_MEDIA_TYPE: {
    code: 'UNSUPPORTED_MEDIA_TYPE',
    message: 'Send the body as application/json.',
  },
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: { code: 'VALIDATION_ERROR', message: 'The Content-Length is wrong.' },
  FST_ERR_BAD_URL: { code: 'VALIDATION_ERROR', message: 'The address is not valid.' },
  FST_ERR_ASYNC_CONSTRAINT: { code: 'VALIDATION_ERROR', message: 'The request is not valid.' },
};

/** Any failure as a refusal; what we did not foresee is logged, and told without its inside. */
export function toRefusal(error: unknown, request: FastifyRequest, log: Logger): Refusal {
  if (isRefusal(error)) return error;
  const known = KNOWN[codeOf(error) ?? ''];
  if (known) return refusal(known.code, known.message);
  const status = statusCodeOf(error);
  if (status !== undefined && status >= 400 && status < 500)
    return refusal('VALIDATION_ERROR', 'The request could not be read.');
  log.error({ event: 'request.crashed', requestId: request.id, err: error }, 'a request crashed');
  return refusal('INTERNAL_ERROR', `Something broke on our side. Quote the request id ${request.id}.`);
}

export function sendRefusal(error: Refusal, reply: FastifyReply): FastifyReply {
  const { status, body } = errorBody(error);
  return reply.code(status).headers(error.headers).type('application/json; charset=utf-8').send(body);
}
