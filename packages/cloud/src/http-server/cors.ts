import type { FastifyInstance } from 'fastify';

const EXPOSED =
  'x-request-id, ratelimit-limit, ratelimit-remaining, ratelimit-reset, retry-after, etag, link, idempotency-replayed, ' +
  'deprecation, sunset, placard-ignored-fields, ' +
  // Of resumable uploads.
  'location, tus-resumable, tus-version, tus-extension, tus-max-size, tus-checksum-algorithm, upload-offset, upload-length, ' +
  'upload-metadata, upload-expires, placard-asset';
const ALLOWED =
  'authorization, content-type, idempotency-key, x-request-id, if-match, if-none-match, last-event-id, tus-resumable, ' +
  'upload-offset, upload-length, upload-metadata, upload-checksum';

/** Lets web pages of these origins call the API. Without origins, no CORS headers are sent. */
export function addCors(app: FastifyInstance, origins: readonly string[]): void {
  if (origins.length === 0) {
    return;
  }
  app.addHook('onRequest', async (request, reply) => {
    const { origin } = request.headers;
    if (origin === undefined || !(origins.includes('*') || origins.includes(origin))) {
      return;
    }
    void reply.headers({
      'access-control-allow-origin': origins.includes('*') ? '*' : origin,
      'access-control-expose-headers': EXPOSED,
      vary: 'origin',
    });
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) {
      return;
    }
    await reply
      .code(204)
      .headers({
        'access-control-allow-methods': 'GET, HEAD, POST, PATCH, DELETE',
        'access-control-allow-headers': ALLOWED,
        'access-control-max-age': '600',
      })
      .send();
  });
}
