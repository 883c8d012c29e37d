import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Measurements } from '../domain/measurements.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Whether its response lasts as long as the client wants. */
    isStream: boolean;
  }
  interface FastifyContextConfig {
    /** The id of the operation; missing for pages, files and probes. */
    operation?: string;
  }
}

export interface ObserverDeps {
  log: Pick<Logger, 'info'>;
  measurements: Pick<Measurements, 'requestFinished'>;
}

interface FinishedRequest {
  id: string;
  method: string;
  /** Null for an unknown route. */
  route: string | null;
  operation: string | undefined;
  status: number;
  seconds: number;
  isStream: boolean;
}

/** Logs and counts each request when its response has ended. */
export function observeRequests(app: FastifyInstance, deps: ObserverDeps): void {
  app.decorateRequest('isStream', false);
  app.addHook('onResponse', (request, reply, done) => {
    const { id, method, isStream, routeOptions } = request;
    const { url: route = null, config } = routeOptions;
    const { operation } = config;
    const [status, seconds] = [reply.statusCode, reply.elapsedTime / 1000];
    observeFinished({ id, method, route, operation, status, seconds, isStream }, deps);
    done();
  });
}

export function observeFinished(request: FinishedRequest, { log, measurements }: ObserverDeps): void {
  const { id, method, route, operation, status, seconds, isStream } = request;
  const fields = { request_id: id, method, route, status, duration_ms: Math.round(seconds * 1000) };
  log.info(fields, 'request.finished');
  if (!isStream) {
    measurements.requestFinished(operation ?? 'other', status, seconds);
  }
}
