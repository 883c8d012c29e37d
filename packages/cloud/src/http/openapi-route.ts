import type { FastifyInstance } from 'fastify';
import { JSON_TYPE } from '../http-server/response-headers.ts';
import { sendStaticFile, toStaticFile } from './static-files.ts';
import type { StaticFile } from './static-files.ts';

/** Serves what `openApi` returns for the public URL of this cloud. */
export function addOpenApi(
  app: FastifyInstance,
  { publicUrl, openApi }: { publicUrl: () => string; openApi: (url: string) => unknown },
): void {
  // Half a megabyte, served without authentication: made and compressed once, so that slow readers share one copy.
  let cached: { url: string; file: Promise<StaticFile> } | null = null;
  app.get('/openapi.json', async (request, reply) => {
    if (cached?.url !== publicUrl()) {
      cached = { url: publicUrl(), file: toStaticFile(JSON.stringify(openApi(publicUrl())), JSON_TYPE) };
    }
    return sendStaticFile(await cached.file, request, reply.header('cache-control', 'no-cache'));
  });
}
