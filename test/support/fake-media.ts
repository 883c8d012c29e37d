import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';

/** Media of a fake cloud, which it serves in whole or from a byte on. */
export function createFakeMedia() {
  const files = new Map<string, Buffer>();
  const requests: { path: string; range: string | null }[] = [];
  return {
    requests,
    add(content: Buffer | string): { sha256: string; size: number; path: string } {
      const bytes = Buffer.from(content);
      const sha256 = createHash('sha256').update(bytes).digest('hex');
      files.set(`/media/${sha256}`, bytes);
      return { sha256, size: bytes.length, path: `/media/${sha256}` };
    },
    /** Returns false if there is no such file. */
    serve(path: string, request: IncomingMessage, response: ServerResponse): boolean {
      const range = request.headers.range ?? null;
      requests.push({ path, range });
      const bytes = files.get(path);
      if (!bytes) {
        return false;
      }
      const from = range === null ? 0 : Number(/bytes=(\d+)-/.exec(range)?.[1] ?? 0);
      const headers = { etag: `"${path}"`, 'content-length': bytes.length - from };
      if (range === null) {
        response.writeHead(200, headers);
      } else {
        response.writeHead(206, {
          ...headers,
          'content-range': `bytes ${from}-${bytes.length - 1}/${bytes.length}`,
        });
      }
      response.end(bytes.subarray(from));
      return true;
    },
  };
}
