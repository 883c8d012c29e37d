import { createRequire } from 'node:module';
import type { LookupFunction } from 'node:net';
import type * as Undici from 'undici';
import type { Dispatcher } from 'undici';
import type { ProxySettings } from './proxy.ts';

/**
 * Connections to the cloud and its files, through the proxy where there is one. `NODE_EXTRA_CA_CERTS` adds a
 * company's own certificates. Nothing is loaded for it before something is asked of the network: the first picture
 * of a start needs none of it.
 *
 * @param lookup resolves names, for who must not connect everywhere
 */
export function createDispatcher(proxies: ProxySettings, lookup?: LookupFunction): Dispatcher {
  let agent: Dispatcher | null = null;
  const made = (): Dispatcher => (agent ??= createAgent(proxies, lookup));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it stands for the agent in all that it is asked
  return new Proxy({} as Dispatcher, {
    get(_, name) {
      const value: unknown = Reflect.get(made(), name);
      return typeof value === 'function' ? value.bind(made()) : value;
    },
  });
}

function createAgent(proxies: ProxySettings, lookup: LookupFunction | undefined): Dispatcher {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what the package says of itself
  const { EnvHttpProxyAgent } = createRequire(import.meta.url)('undici') as typeof Undici;
  return new EnvHttpProxyAgent({
    // Named even when empty: what is left out would be read from the environment.
    httpProxy: proxies.httpProxy ?? '',
    httpsProxy: proxies.httpsProxy ?? '',
    noProxy: proxies.noProxy ?? '',
    // Of connections without a proxy; a proxy resolves names by itself.
    connect: { timeout: 10_000, ...(lookup ? { lookup } : {}) },
    headersTimeout: 30_000,
    // Silence in the midst of a body; a slow line that goes on sending may take as long as it needs.
    bodyTimeout: 60_000,
    keepAliveTimeout: 30_000,
    connections: 8,
  });
}
