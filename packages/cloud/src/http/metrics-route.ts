import type { FastifyInstance } from 'fastify';
import { readBearerToken, unauthorizedError } from '../http-server/authenticate.ts';
import { secretsEqual } from '../http-server/secrets.ts';

export interface MetricsRouteDeps {
  token: string;
  scrape: () => Promise<{ contentType: string; text: string }>;
}

/** `/metrics` on the port of the API, to those who send the token. */
export function addMetricsRoute(app: FastifyInstance, { token, scrape }: MetricsRouteDeps): void {
  app.get('/metrics', async (request, reply) => {
    if (!secretsEqual(readBearerToken(request), token)) {
      throw unauthorizedError('This is not the token of --metrics-token-file.');
    }
    const { contentType, text } = await scrape();
    return reply.type(contentType).send(text);
  });
}
