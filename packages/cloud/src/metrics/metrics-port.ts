import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Logger } from 'pino';
import type { Metrics } from './prometheus.ts';

/** Prometheus needs one; a second server and a person may look as well. */
const MAX_CONNECTIONS = 20;
const TIMEOUT_MS = 10_000;

export interface MetricsPort {
  port: number;
  close: () => Promise<void>;
}

/** Serves `/metrics` on a port of its own. Rejects with the error of the system when the port is not available. */
export async function openMetricsPort(
  metrics: Pick<Metrics, 'scrape'>,
  { host, port, log }: { host: string; port: number; log: Pick<Logger, 'error'> },
): Promise<MetricsPort> {
  const server = createServer(
    { headersTimeout: TIMEOUT_MS, requestTimeout: TIMEOUT_MS, maxHeaderSize: 8_192 },
    (request, response) => {
      const isRead = request.method === 'GET' || request.method === 'HEAD';
      if (!isRead || request.url?.split('?')[0] !== '/metrics') {
        response.writeHead(404, { 'content-type': 'text/plain' }).end('Only GET /metrics is here.\n');
        return;
      }
      metrics.scrape().then(
        ({ contentType, text }) => response.writeHead(200, { 'content-type': contentType }).end(text),
        (error: unknown) => {
          log.error({ err: error }, 'metrics.scrape_failed');
          response.writeHead(500).end();
        },
      );
    },
  );
  server.maxConnections = MAX_CONNECTIONS;
  server.setTimeout(TIMEOUT_MS);
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  return {
    port: typeof address === 'object' && address ? address.port : port,
    async close() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
