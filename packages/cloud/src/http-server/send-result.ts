import { Readable } from 'node:stream';
import type { CursorMeta, Meta, Operation } from '@placard/protocol/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { HandlerResult } from './operation-route.ts';
import { JSON_TYPE } from './response-headers.ts';

/** Large buffers are sent in slices of this size. */
const CHUNK_BYTES = 65_536;
const [BEFORE_DATA, AFTER_DATA] = [Buffer.from('{"success":true,"data":'), Buffer.from('}')];

/** Sends the result of an operation in the response envelope. `publicUrl`: for links to other pages of a list. */
export function sendResult(
  result: HandlerResult<unknown>,
  operation: Operation,
  reply: FastifyReply,
  publicUrl: string,
): FastifyReply {
  if ('isSent' in result) {
    releaseRequest(reply.request);
    return reply.hijack();
  }
  void reply.headers(result.headers ?? {});
  if ('emptyStatus' in result) {
    return reply.code(result.emptyStatus).send();
  }
  if ('stream' in result) {
    // Fastify would produce the whole stream and discard it.
    if (reply.request.method === 'HEAD') {
      result.stream.destroy();
    }
    return reply.code(operation.status).send(result.stream.destroyed ? Readable.from([]) : result.stream);
  }
  const { meta } = result;
  if (meta && operation.list) {
    const url = new URL(reply.request.url, publicUrl);
    const links = [
      reply.getHeader('link'),
      'page' in meta ? linksToPages(url, meta) : linkToNext(url, meta, operation),
    ].filter(Boolean);
    if (links.length > 0) {
      void reply.header('link', links.join(', '));
    }
  }
  if ('json' in result) {
    void reply.code(result.status ?? operation.status).type(JSON_TYPE);
    const { json } = result;
    if (typeof json !== 'string') {
      const parts = [BEFORE_DATA, ...json, AFTER_DATA];
      const bytes = parts.reduce((sum, part) => sum + part.length, 0);
      void reply.header('content-length', bytes);
      return reply.send(bytes <= CHUNK_BYTES ? Buffer.concat(parts) : Readable.from(chunksOf(parts)));
    }
    // With the headers it is one write: a buffer would be another, in 5 µs.
    return reply.send(`{"success":true,"data":${json}${meta ? `,"meta":${JSON.stringify(meta)}` : ''}}`);
  }
  if (operation.responseHeaders?.includes('Location') && isIdentified(result.data)) {
    void reply.header('location', `${publicUrl}${operation.path}/${result.data.id}`);
  }
  return reply
    .code(result.status ?? operation.status)
    .type(JSON_TYPE)
    .send({ success: true, data: result.data, ...(meta ? { meta } : {}) });
}

/** The framework and Node keep the request for as long as its response lasts: what nobody asks for any more is let go. */
function releaseRequest(request: FastifyRequest): void {
  request.caller = null;
  request.raw.headers = {};
  request.raw.rawHeaders = [];
}

const isIdentified = (data: unknown): data is { id: string } =>
  typeof data === 'object' && data !== null && 'id' in data && typeof data.id === 'string';

/** The pages that there are beside this one, as RFC 8288 writes links. */
function linksToPages(url: URL, { page, limit, total }: Meta): string {
  const last = Math.max(1, Math.ceil(total / limit));
  const pages = { first: 1, prev: Math.min(page - 1, last), next: page + 1, last };
  return Object.entries(pages)
    .filter(([, each]) => each >= 1 && each <= last)
    .map(([relation, each]) => {
      url.searchParams.set('page', String(each));
      return `<${url.href}>; rel="${relation}"`;
    })
    .join(', ');
}

/** Where the list goes on; null at the end of a list of resources, while there are always more events. */
function linkToNext(url: URL, { next_cursor }: CursorMeta, { list }: Operation): string | null {
  if (next_cursor === null && list !== 'cursor') {
    return null;
  }
  url.searchParams.delete('since');
  url.searchParams.set('cursor', next_cursor ?? 'latest');
  return `<${url.href}>; rel="next"`;
}

/** Slices without copying: a copy would stay in memory for each slow client. */
function* chunksOf(parts: readonly Buffer[]): Generator<Buffer> {
  for (const part of parts) {
    for (let start = 0; start < part.length; start += CHUNK_BYTES) {
      yield part.subarray(start, start + CHUNK_BYTES);
    }
  }
}
