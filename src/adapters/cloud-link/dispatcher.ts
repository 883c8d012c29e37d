import { EnvHttpProxyAgent, type Dispatcher } from 'undici';
import type { ProxySettings } from './proxy.ts';

/**
 * Connections to the cloud and its files, through the proxy where there is one. `NODE_EXTRA_CA_CERTS` adds a
 * company's own certificates.
 */
export function createDispatcher(proxies: ProxySettings): Dispatcher {
  return new EnvHttpProxyAgent({
    // Named even when empty: what is left out would be read from the environment.
    httpProxy: proxies.httpProxy ?? '',
    httpsProxy: proxies.httpsProxy ?? '',
    noProxy: proxies.noProxy ?? '',
    connect: { timeout: 10_000 },
    headersTimeout: 30_000,
    // Silence in the midst of a body; a slow line that goes on sending may take as long as it needs.
    bodyTimeout: 60_000,
    keepAliveTimeout: 30_000,
    connections: 8,
  });
}
