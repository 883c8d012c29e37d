import type { FastifyInstance } from 'fastify';

export interface OpenApiDeps {
  /** The public base URL of this cloud. */
  publicUrl: () => string;
  openApi: (url: string) => unknown;
}

/** The OpenAPI description of this cloud. */
export function addOpenApi(app: FastifyInstance, { publicUrl, openApi }: OpenApiDeps): void {
  // Half a megabyte, served without authentication: cached, so that slow readers share one copy.
  let cached: { url: string; bytes: Buffer } | null = null;
  app.get('/openapi.json', async (_request, reply) => {
    if (cached?.url !== publicUrl()) {
      cached = { url: publicUrl(), bytes: Buffer.from(JSON.stringify(openApi(publicUrl()))) };
    }
    return reply
      .header('cache-control', 'no-cache')
      .type('application/json; charset=utf-8')
      .send(cached.bytes);
  });
}
