import type { FastifyInstance } from 'fastify';
import { DOCS_SCRIPT, DOCS_STYLE } from './docs-assets.ts';

const DOCS_PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Placard API</title>
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<nav id="index"></nav>
<main id="operations"><h1>Placard API</h1><p id="about"></p></main>
<script src="/docs/script.js"></script>
</body>
</html>
`;

export interface DocsDeps {
  /** The public base URL of this cloud. */
  publicUrl: () => string;
  openApi: (url: string) => unknown;
}

/** The OpenAPI description and a page that renders it without external resources. */
export function addDocs(app: FastifyInstance, { publicUrl, openApi }: DocsDeps): void {
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
  const page = (path: string, type: string, text: string) =>
    app.get(path, async (_request, reply) =>
      reply
        .header(
          'content-security-policy',
          "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'",
        )
        .header('cache-control', 'no-cache')
        .type(type)
        .send(text),
    );
  page('/docs', 'text/html; charset=utf-8', DOCS_PAGE);
  page('/docs/style.css', 'text/css; charset=utf-8', DOCS_STYLE);
  page('/docs/script.js', 'text/javascript; charset=utf-8', DOCS_SCRIPT);
}
