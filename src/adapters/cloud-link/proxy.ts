import { Agent as HttpAgent, request as httpRequest } from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';
import { isIP } from 'node:net';
import type { Duplex } from 'node:stream';
import { connect as tlsConnect } from 'node:tls';

/** `HTTP_PROXY`, `HTTPS_PROXY` and `NO_PROXY` of the environment; lower case wins, as in other programs. */
export interface ProxySettings {
  httpProxy?: string | undefined;
  httpsProxy?: string | undefined;
  noProxy?: string | undefined;
}

export function proxySettings(env: NodeJS.ProcessEnv): ProxySettings {
  const pick = (name: string) => env[name.toLowerCase()] || env[name] || undefined;
  return { httpProxy: pick('HTTP_PROXY'), httpsProxy: pick('HTTPS_PROXY'), noProxy: pick('NO_PROXY') };
}

/** The proxy for this address, or null for a direct connection. */
export function proxyFor(target: URL, settings: ProxySettings): URL | null {
  const secure = target.protocol === 'https:' || target.protocol === 'wss:';
  const proxy = secure ? settings.httpsProxy : settings.httpProxy;
  if (!proxy || isExempt(target, settings.noProxy ?? '')) {
    return null;
  }
  return new URL(/^[a-z]+:\/\//i.test(proxy) ? proxy : `http://${proxy}`);
}

function isExempt(target: URL, noProxy: string): boolean {
  const host = bareHost(target).toLowerCase();
  const port = target.port || (/^(https|wss):$/.test(target.protocol) ? '443' : '80');
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .some((entry) => {
      const [, name = '', only] = /^(.*?)(?::(\d+))?$/.exec(entry) ?? [];
      if (only !== undefined && only !== port) {
        return false;
      }
      const bare = name.replace(/^\*?\./, '');
      return name === '*' || host === bare || host.endsWith(`.${bare}`);
    });
}

/** The host name without the brackets of an IPv6 address. */
const bareHost = ({ hostname }: URL): string => hostname.replace(/^\[|\]$/g, '');

/** Host and server name for TLS; SNI must not be an IP address (RFC 6066, section 3). */
function tlsPeer(url: URL): { host: string; servername: string } {
  const host = bareHost(url);
  return { host, servername: isIP(host) ? '' : host };
}

/** An agent that uses this tunnel as its only connection. */
export function createTunnelAgent(tunnel: Duplex, target: URL): HttpAgent | HttpsAgent {
  const secure = target.protocol === 'wss:';
  const agent = secure ? new HttpsAgent() : new HttpAgent();
  agent.createConnection = () => (secure ? tlsConnect({ socket: tunnel, ...tlsPeer(target) }) : tunnel);
  return agent;
}

const TUNNEL_TIMEOUT_MS = 10_000;

/** Opens a CONNECT tunnel through the proxy; WebSockets work only inside one. */
export function openTunnel(proxy: URL, target: URL, signal: AbortSignal): Promise<Duplex> {
  const authority = `${target.hostname}:${target.port || (target.protocol === 'wss:' ? 443 : 80)}`;
  const login = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const authorization = { 'proxy-authorization': `Basic ${Buffer.from(login).toString('base64')}` };
  return new Promise((resolve, reject) => {
    const connectRequest = (proxy.protocol === 'https:' ? httpsRequest : httpRequest)({
      // Set explicitly; otherwise Node would expect the proxy to have the certificate of the cloud.
      ...tlsPeer(proxy),
      port: proxy.port || (proxy.protocol === 'https:' ? 443 : 80),
      method: 'CONNECT',
      path: authority,
      agent: false,
      timeout: TUNNEL_TIMEOUT_MS,
      signal,
      headers: { host: authority, ...(proxy.username === '' ? {} : authorization) },
    });
    connectRequest.once('connect', (response, socket) => {
      if (response.statusCode === 200) {
        return resolve(socket);
      }
      socket.destroy();
      return reject(new Error(`the proxy answered ${response.statusCode}`));
    });
    connectRequest.once('timeout', () =>
      connectRequest.destroy(Object.assign(new Error('proxy timeout'), { code: 'ETIMEDOUT' })),
    );
    connectRequest.once('error', reject);
    connectRequest.end();
  });
}
