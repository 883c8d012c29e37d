import type { IncomingMessage } from 'node:http';
import { errorCodes } from 'fastify';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../domain/api-error.ts';
import type { Connections } from './connections.ts';
import { parseJson } from './json.ts';
import { readBody } from './read-body.ts';

export const MAX_JSON_BYTES = 1_048_576;

/** Accepts JSON bodies, and no others; an empty body is none, whatever type a client gives it. */
export function addJsonParser(app: FastifyInstance, connections: Connections): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', async (request: FastifyRequest, payload: IncomingMessage) => {
    // Also on upload routes: only multipart bodies have their own stall check.
    connections.startBodyDeadline(request.raw);
    const maxBytes = request.routeOptions.bodyLimit ?? MAX_JSON_BYTES;
    const contentLength = Number(request.headers['content-length']);
    const onBytes = (bytes: number) => connections.recordBodyBytes(request.raw, bytes);
    const bytes = await readBody(payload, { maxBytes, contentLength, onBytes });
    return parseJson(bytes, { removesNul: !request.caller?.actor });
  });
  app.addContentTypeParser('*', ({ headers }, _payload, done) => {
    const isEmpty =
      headers['transfer-encoding'] === undefined && Number(headers['content-length'] ?? 0) === 0;
    done(isEmpty ? null : new errorCodes.FST_ERR_CTP_INVALID_MEDIA_TYPE(headers['content-type'] ?? ''));
  });
}

/** Accepts bodies of that type, and no others; the handler reads them from `request.raw`. */
export function addBytesParser(app: FastifyInstance, contentType: string): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(contentType, (_request, _payload, done) => done(null));
  app.addContentTypeParser('*', (_request, _payload, done) =>
    done(new ApiError('UNSUPPORTED_MEDIA_TYPE', `Send the bytes as ${contentType}.`)),
  );
}
