import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { BlobRedirects, BlobStore } from '../blob/blob-store.ts';
import { contentTypeOfExtension } from '../domain/media-formats.ts';
import { ApiError } from '../domain/api-error.ts';
import { etagMatches } from '../http-server/etag.ts';

interface ByteRange {
  start: number;
  end: number;
}

export interface CdnDeps {
  blobs: Pick<BlobStore, 'find' | 'read'>;
  /** Null: the bytes are sent from here. */
  redirects: BlobRedirects | null;
}

/** Serves `/cdn/<sha256>.<extension>`: content-addressed, immutable files. */
export function addCdn(app: FastifyInstance, { blobs, redirects }: CdnDeps): void {
  app.get<{ Params: { name: string } }>('/cdn/:name', async (request, reply) => {
    const [, sha256 = '', extension = ''] =
      /^([0-9a-f]{64})\.([a-z0-9]{2,5})$/.exec(request.params.name) ?? [];
    const contentType = contentTypeOfExtension(extension);
    const blob = contentType === null ? null : await blobs.find(sha256);
    if (!blob || contentType === null) {
      throw noSuchFile();
    }

    const etag = `"${sha256}"`;
    if (redirects && request.method === 'GET' && !etagMatches(request.headers['if-none-match'], etag)) {
      const url = await redirects.urlOf(blob, contentType);
      return reply
        .headers({ 'cache-control': 'no-store', 'access-control-allow-origin': '*' })
        .redirect(url, 302);
    }
    const headers = {
      etag,
      'content-type': contentType,
      'accept-ranges': 'bytes',
      'cache-control': 'public, max-age=31536000, immutable',
      'cross-origin-resource-policy': 'cross-origin',
      'access-control-allow-origin': '*',
    };
    if (etagMatches(request.headers['if-none-match'], etag)) {
      return reply.code(304).headers(headers).send();
    }

    const range = parseRange(request, etag, blob.size);
    if (range === 'unsatisfiable') {
      return reply
        .code(416)
        .headers({ ...headers, 'content-range': `bytes */${blob.size}` })
        .send();
    }
    const { start, end } = range ?? { start: 0, end: blob.size - 1 };
    // An empty stream keeps the content-length that is set; an empty body would make it 0.
    const isEmpty = request.method === 'HEAD' || blob.size === 0;
    const bytes = isEmpty ? Readable.from([]) : await blobs.read(blob, { start, end });
    if (!bytes) {
      throw noSuchFile();
    }
    if (range) {
      void reply.code(206).header('content-range', `bytes ${start}-${end}/${blob.size}`);
    }
    return reply.headers({ ...headers, 'content-length': end - start + 1 }).send(bytes);
  });
}

const noSuchFile = () => new ApiError('CONTENT_NOT_FOUND', 'The requested file does not exist.');

/** One byte range; null for the whole file, also when several ranges are requested. */
function parseRange(request: FastifyRequest, etag: string, size: number): ByteRange | null | 'unsatisfiable' {
  const { range: header, 'if-range': ifRange } = request.headers;
  if (header === undefined || (ifRange !== undefined && ifRange !== etag)) {
    return null;
  }
  const match = /^bytes=(\d*)-(\d*)$/.exec(header.trim());
  if (!match || (match[1] === '' && match[2] === '')) {
    return null;
  }
  if (match[1] === '') {
    const last = Number(match[2]);
    return last === 0 || size === 0 ? 'unsatisfiable' : { start: Math.max(0, size - last), end: size - 1 };
  }
  const start = Number(match[1]);
  const end = match[2] === '' ? size - 1 : Math.min(Number(match[2]), size - 1);
  if (match[2] !== '' && Number(match[2]) < start) {
    return null;
  }
  return start >= size ? 'unsatisfiable' : { start, end };
}
