import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { promisify } from 'node:util';
import { brotliDecompress } from 'node:zlib';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Logger } from 'pino';
import { ApiError } from '../domain/api-error.ts';
import { errorMessage } from '../domain/error-details.ts';
import { PROGRAM_FILES } from '../program/program-files.ts';

const NOT_BUILT =
  'The console of this cloud is not built. Run "npm run build:cloud", then restart the cloud.';

const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
};

/** The pages that it has; what is below them is the console's own matter. */
const ADDRESSES = [
  '/',
  '/sign-in',
  '/invitation',
  '/reset-password',
  '/devices',
  '/devices/*',
  '/stores',
  '/content',
  '/playlists',
  '/playlists/*',
  '/settings',
  '/settings/*',
  '/schedules',
  '/schedules/*',
];

interface StaticFile {
  body: Buffer;
  type: string;
  /** The body is compressed with Brotli. */
  isCompressed: boolean;
}

/**
 * Serves the console (`packages/console`) to people. All of it is read at the start, so that a running cloud never serves parts
 * of a newer build. `mediaOrigin` is where pictures come from.
 */
export function addConsole(
  app: FastifyInstance,
  { log, mediaOrigin }: { log: Logger; mediaOrigin: () => string },
): void {
  const files = readBuild(log);
  app.get<{ Params: { file: string } }>('/assets/:file', async (request, reply) => {
    const file = files?.get(`assets/${request.params.file}`);
    if (!file) {
      throw new ApiError('ROUTE_NOT_FOUND', 'This file of the console does not exist; load the page again.');
    }
    reply.header('cache-control', 'public, max-age=31536000, immutable');
    return send(file, request, reply);
  });
  for (const address of ADDRESSES) {
    app.get(address, async (request, reply) => {
      const page = files?.get('index.html');
      if (!page) {
        throw new ApiError('UNAVAILABLE', NOT_BUILT);
      }
      reply.headers({
        'cache-control': 'no-cache',
        'content-security-policy':
          "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; " +
          `connect-src 'self' ${mediaOrigin()}; ` +
          `img-src 'self' data: blob: ${mediaOrigin()}; media-src 'self' blob: ${mediaOrigin()}; ` +
          "form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      });
      return send(page, request, reply);
    });
  }
}

const decompress = promisify(brotliDecompress);

async function send(file: StaticFile, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  reply.headers({ vary: 'accept-encoding', 'x-content-type-options': 'nosniff' }).type(file.type);
  if (!file.isCompressed) {
    return reply.send(file.body);
  }
  return /\bbr\b/.test(request.headers['accept-encoding'] ?? '')
    ? reply.header('content-encoding', 'br').send(file.body)
    : reply.send(await decompress(file.body));
}

/** The files of the build by path; null when they cannot be read. */
function readBuild(log: Logger): Map<string, StaticFile> | null {
  try {
    const folder = PROGRAM_FILES.console;
    const names = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
      entry.isFile(),
    );
    return new Map(
      names.map((entry) => {
        const path = join(entry.parentPath, entry.name);
        const isCompressed = path.endsWith('.br');
        const name = (isCompressed ? path.slice(0, -3) : path).slice(folder.length + 1).replaceAll('\\', '/');
        const type = TYPES[extname(name)] ?? 'application/octet-stream';
        return [name, { body: readFileSync(path), type, isCompressed }];
      }),
    );
  } catch (error) {
    log.warn({ reason: errorMessage(error) }, 'console.read_failed');
    return null;
  }
}
