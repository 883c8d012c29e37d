import { readFileSync } from 'node:fs';
import type { FastifyInstance } from 'fastify';

const POLICY =
  "default-src 'none'; style-src 'self'; script-src 'self'; connect-src 'self'; img-src data:; " +
  "form-action 'none'; base-uri 'none'; frame-ancestors 'none'";

/** The page that an operator opens from the QR code on a screen. The access key stays in the browser tab. */
export function addPairPage(app: FastifyInstance): void {
  const page = (url: string, type: string, file: string) => {
    const text = readFileSync(new URL(`pair/${file}`, import.meta.url), 'utf8');
    app.get(url, async (_request, reply) =>
      reply.header('content-security-policy', POLICY).type(`${type}; charset=utf-8`).send(text),
    );
  };
  page('/pair', 'text/html', 'page.html');
  page('/pair/style.css', 'text/css', 'style.css');
  page('/pair/script.js', 'text/javascript', 'script.js');
}
