import type { FastifyInstance, FastifyRequest } from 'fastify';
import { ApiError } from '../domain/api-error.ts';

interface KnownRoute {
  method: string;
  pattern: RegExp;
}

/** As browsers ask for a page; some programs ask for any text, HTML first. */
const PAGE_TYPES = /^text\/html, *application\/xhtml\+xml/;

/** Somebody has opened an address in a browser; below `/v1` a person reads errors as programs do. */
function isOfBrowser({ method, url, headers }: FastifyRequest): boolean {
  if (method !== 'GET' || url.startsWith('/v1') || headers.authorization !== undefined) {
    return false;
  }
  // Browsers send it over HTTPS alone.
  const mode = headers['sec-fetch-mode'];
  return mode === undefined ? PAGE_TYPES.test(headers.accept ?? '') : mode === 'navigate';
}

/**
 * Refuses requests without a route. Before the body is read, so that they are 404 or 405 and not 413. Those of a browser go
 * on to the handler that serves a page.
 */
export function refuseUnknownRoutes(app: FastifyInstance): void {
  const knownRoutes: KnownRoute[] = [];
  app.addHook('onRoute', ({ method, url }) => {
    for (const each of [method].flat()) {
      if (each !== 'HEAD') {
        knownRoutes.push({ method: each, pattern: toPathPattern(url) });
      }
    }
  });
  app.addHook('onRequest', (request, _reply, done) => {
    if (request.is404 && !isOfBrowser(request)) {
      done(notFoundError(knownRoutes, request));
    } else {
      done();
    }
  });
}

export const routeNotFoundError = ({ method, url }: FastifyRequest): ApiError =>
  new ApiError('ROUTE_NOT_FOUND', `There is no route ${method} ${url.split('?')[0]?.slice(0, 200)}.`);

/** 404, or 405 when the path exists for another method. */
function notFoundError(known: readonly KnownRoute[], request: FastifyRequest) {
  const path = request.url.split('?')[0] ?? '';
  const methods = known.filter(({ pattern }) => pattern.test(path)).map(({ method }) => method);
  if (methods.length === 0 || methods.includes(request.method)) {
    return routeNotFoundError(request);
  }
  const allow = [...new Set(methods)].join(', ');
  return new ApiError('METHOD_NOT_ALLOWED', `Method not allowed; use ${allow}.`, { headers: { allow } });
}

const toPathPattern = (path: string) =>
  new RegExp(`^${path.replaceAll('.', String.raw`\.`).replaceAll(/:\w+/g, '[^/]+')}/?$`);
