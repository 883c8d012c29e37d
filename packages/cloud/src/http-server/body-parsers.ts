import type { IncomingMessage } from 'node:http';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../domain/api-error.ts';
import type { Connections } from './connections.ts';
import { parseJson } from './json.ts';
import { readBody } from './read-body.ts';

export const MAX_JSON_BYTES = 1_048_576;

/** Accepts JSON bodies, and no others. */
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
}

/** Accepts bodies of that type, and no others; the handler reads them from `request.raw`. */
export function addBytesParser(app: FastifyInstance, contentType: string): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(contentType, (_request, _payload, done) => done(null));
  app.addContentTypeParser('*', (_request, _payload, done) =>
    done(new ApiError('UNSUPPORTED_MEDIA_TYPE', `Send the bytes as ${contentType}.`)),
  );
}
