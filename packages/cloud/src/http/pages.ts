import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import { apiError } from '../domain/api-error.ts';
import { errorMessage } from '../domain/error-details.ts';

const BUILD = new URL('../../dist/pages/', import.meta.url);

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
  for (const [page, headers] of Object.entries(PAGES)) {
    for (const [file, type] of Object.entries(FILES)) {
      const text = readBuild(`${page}/${file}`, log);
      app.get(file === 'index.html' ? `/${page}` : `/${page}/${file}`, async (_request, reply) => {
        if (text === null) {
          throw apiError(
            'UNAVAILABLE',
            'The pages of this cloud are not built. Run "npm run build:cloud", then restart the cloud.',
          );
        }
        return reply.headers(headers).type(type).send(text);
      });
    }
  }
}

function readBuild(name: string, log: Logger): string | null {
  try {
    return readFileSync(new URL(name, BUILD), 'utf8');
  } catch (error) {
    log.warn({ event: 'page.read_failed', name, reason: errorMessage(error) });
    return null;
  }
}
