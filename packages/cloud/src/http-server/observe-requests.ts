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

/** Logs and counts each request when its response has ended. */
export function observeRequests(
  app: FastifyInstance,
  { log, measurements }: { log: Pick<Logger, 'info'>; measurements: Pick<Measurements, 'requestFinished'> },
): void {
  app.decorateRequest('isStream', false);
  app.addHook('onResponse', (request, reply, done) => {
    const { elapsedTime, statusCode } = reply;
    log.info(
      {
        request_id: request.id,
        method: request.method,
        route: request.routeOptions.url ?? null,
        status: statusCode,
        duration_ms: Math.round(elapsedTime),
      },
      'request.finished',
    );
    if (!request.isStream) {
      measurements.requestFinished(
        request.routeOptions.config.operation ?? 'other',
        statusCode,
        elapsedTime / 1000,
      );
    }
    done();
  });
}
