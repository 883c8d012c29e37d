import type { FastifyInstance } from 'fastify';

/** Serves what `openApi` returns for the public URL of this cloud. */
export function addOpenApi(
  app: FastifyInstance,
  { publicUrl, openApi }: { publicUrl: () => string; openApi: (url: string) => unknown },
): void {
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
