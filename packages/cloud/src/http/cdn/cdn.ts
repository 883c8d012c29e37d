import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BlobStore } from '../../blob/blob-store.ts';
import { contentTypeOf } from '../../domain/formats.ts';
import { refusal } from '../../domain/refusal.ts';

interface Range {
  start: number;
  end: number;
}

/** Serves `/cdn/<sha256>.<ending>`: bytes that never change under an address that names them. */
export function addCdn(app: FastifyInstance, { blobs }: { blobs: BlobStore }): void {
  app.get<{ Params: { name: string } }>('/cdn/:name', async (request, reply) => {
    const [, sha256 = '', ending = ''] = /^([0-9a-f]{64})\.([a-z0-9]{2,5})$/.exec(request.params.name) ?? [];
    const contentType = contentTypeOf(ending);
    const blob = contentType === null ? null : await blobs.find(sha256);
    if (!blob || contentType === null) throw refusal('CONTENT_NOT_FOUND', 'There is no such file.');

    const etag = `"${sha256}"`;
    void reply.headers({
      etag,
      'content-type': contentType,
      'accept-ranges': 'bytes',
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
    });
    if (matches(request.headers['if-none-match'], etag)) return reply.code(304).send();

    const range = rangeOf(request, etag, blob.size);
    if (range === 'unsatisfiable')
      return reply.code(416).header('content-range', `bytes */${blob.size}`).send();
    if (range) void reply.code(206).header('content-range', `bytes ${range.start}-${range.end}/${blob.size}`);
    void reply.header('content-length', range ? range.end - range.start + 1 : blob.size);
    return sendBytes(request, reply, blobs, sha256, blob.size, range);
  });
}

function sendBytes(
  request: FastifyRequest,
  reply: FastifyReply,
  blobs: BlobStore,
  sha256: string,
  size: number,
  range: Range | null,
): FastifyReply {
  // An empty stream keeps the length that was set; an empty body would make it 0.
  if (request.method === 'HEAD' || size === 0) return reply.send(Readable.from([]));
  return reply.send(blobs.read(sha256, range ?? { start: 0, end: size - 1 }));
}

const matches = (header: string | undefined, etag: string): boolean =>
  header !== undefined &&
  header.split(',').some((each) => each.trim() === '*' || each.trim().replace(/^W\//, '') === etag);

/** One range of bytes; null for the whole file, also when several are asked for. */
function rangeOf(request: FastifyRequest, etag: string, size: number): Range | null | 'unsatisfiable' {
  const { range: header, 'if-range': ifRange } = request.headers;
  if (header === undefined || (ifRange !== undefined && ifRange !== etag)) return null;
  const match = /^bytes=(\d*)-(\d*)$/.exec(header.trim());
  if (!match || (match[1] === '' && match[2] === '')) return null;
  if (match[1] === '') {
    const last = Number(match[2]);
    return last === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(0, size - last), end: size - 1 };
  }
  const start = Number(match[1]);
  const end = match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (match[2] !== '' && Number(match[2]) < start) return null;
  return start >= size ? 'unsatisfiable' : { start, end };
}
