import { createRequire } from 'node:module';
import type { LookupFunction } from 'node:net';
import type * as Undici from 'undici';
import type { Dispatcher } from 'undici';
import type { ProxySettings } from './proxy.ts';

/**
 * HTTP connections to the cloud and its files, through the proxy if one is set. `NODE_EXTRA_CA_CERTS` adds a
 * company's certificates. undici is loaded with the first request, because the first picture after a start does not
 * need it.
 *
 * @param lookup resolves host names, for callers that must not connect to every address
 */
export function createDispatcher(proxies: ProxySettings, lookup?: LookupFunction): Dispatcher {
  let agent: Dispatcher | null = null;
  const getAgent = (): Dispatcher => (agent ??= createAgent(proxies, lookup));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it forwards every property to the agent
  return new Proxy({} as Dispatcher, {
    get(_, name) {
      const value: unknown = Reflect.get(getAgent(), name);
      return typeof value === 'function' ? value.bind(getAgent()) : value;
    },
  });
}

function createAgent(proxies: ProxySettings, lookup: LookupFunction | undefined): Dispatcher {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the types of the package itself
  const { EnvHttpProxyAgent } = createRequire(import.meta.url)('undici') as typeof Undici;
  return new EnvHttpProxyAgent({
    // Set even when empty: undici reads an option that is left out from the environment.
    httpProxy: proxies.httpProxy ?? '',
    httpsProxy: proxies.httpsProxy ?? '',
    noProxy: proxies.noProxy ?? '',
    // Applies to direct connections only; a proxy resolves names by itself.
    connect: { timeout: 10_000, ...(lookup ? { lookup } : {}) },
    headersTimeout: 30_000,
    // The longest pause within a body; a slow connection that keeps sending may take as long as it needs.
    bodyTimeout: 60_000,
    keepAliveTimeout: 30_000,
    connections: 8,
  });
}
