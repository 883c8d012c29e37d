import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { ApiError } from '../domain/api-error.ts';
import { errorMessage } from '../domain/error-details.ts';
import { PROGRAM_FILES } from '../program/program-files.ts';

const NOT_BUILT = 'The pages of this cloud are not built. Run "npm run build:cloud", then restart the cloud.';

const FILES = {
  'index.html': 'text/html; charset=utf-8',
  'style.css': 'text/css; charset=utf-8',
  'script.js': 'text/javascript; charset=utf-8',
};

const PAGES = {
  /** Renders the OpenAPI description without external resources. */
  docs: {
    'content-security-policy': "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'",
    'cache-control': 'no-cache',
  },
  /** The page that an operator opens from the QR code on a screen. The API key stays in the browser tab. */
  pair: {
    'content-security-policy':
      "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; " +
      "form-action 'none'; base-uri 'none'; frame-ancestors 'none'",
  },
};

/** Serves the pages in `packages/cloud/pages`. Without their build everything else works, and they say what to run. */
export function addPages(app: FastifyInstance, log: Logger): void {
  const build = readBuild(log);
  for (const [page, headers] of Object.entries(PAGES)) {
    for (const [file, type] of Object.entries(FILES)) {
      app.get(file === 'index.html' ? `/${page}` : `/${page}/${file}`, async (_request, reply) => {
        if (!build) {
          throw new ApiError('UNAVAILABLE', NOT_BUILT);
        }
        return reply
          .headers(headers)
          .type(type)
          .send(build.get(`${page}/${file}`));
      });
    }
  }
}

/** The built files by path; null when they cannot be read. */
function readBuild(log: Logger): Map<string, Buffer> | null {
  try {
    const paths = Object.keys(PAGES).flatMap((page) => Object.keys(FILES).map((file) => `${page}/${file}`));
    return new Map(paths.map((path) => [path, readFileSync(join(PROGRAM_FILES.pages, path))]));
  } catch (error) {
    log.warn({ reason: errorMessage(error) }, 'pages.read_failed');
    return null;
  }
}
