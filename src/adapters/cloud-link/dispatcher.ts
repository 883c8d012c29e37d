import { EnvHttpProxyAgent, type Dispatcher } from 'undici';

/**
 * Connections to the cloud and its files. `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` are followed, and
 * `NODE_EXTRA_CA_CERTS` adds a company's own certificates.
 */
export function createDispatcher(): Dispatcher {
  return new EnvHttpProxyAgent({
    connect: { timeout: 10_000 },
    headersTimeout: 30_000,
    // Silence in the midst of a body; a slow line that goes on sending may take as long as it needs.
    bodyTimeout: 60_000,
    keepAliveTimeout: 30_000,
    connections: 8,
  });
}
