import type { Readable } from 'node:stream';
import { Agent } from 'undici';
import { codeOf, messageOf } from '../domain/error-facts.ts';
import { createAddressGuard, NOT_ALLOWED } from './address-guard.ts';

export interface OutboundRequest {
  url: URL;
  method: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  /** How many redirects are followed. */
  redirects: number;
  /** Gives up after this long, body included. */
  timeoutMs: number;
  signal?: AbortSignal;
}

/** Why a request did not come about; a stable word for machines. */
export type OutboundFailure =
  | 'address_not_allowed'
  | 'dns_failed'
  | 'connection_failed'
  | 'tls_failed'
  | 'timeout'
  | 'too_many_redirects'
  | 'bad_redirect';

export interface OutboundResponse {
  status: number;
  /** After redirects. */
  url: URL;
  body: Readable;
}

/** Requests to addresses that a caller chose: only public ones, checked when the connection is made. */
export interface Outbound {
  request(
    request: OutboundRequest,
  ): Promise<OutboundResponse | { failure: OutboundFailure; message: string }>;
  allowsHost(hostname: string): boolean;
  close: () => Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 30_000;

export function createOutbound(allowList: readonly string[] = []): Outbound {
  const guard = createAddressGuard(allowList);
  const agent = new Agent({
    connect: { lookup: guard.lookup, timeout: CONNECT_TIMEOUT_MS },
    headersTimeout: IDLE_TIMEOUT_MS,
    bodyTimeout: IDLE_TIMEOUT_MS,
  });

  const once = async (url: URL, request: OutboundRequest, signal: AbortSignal) =>
    agent.request({
      origin: url.origin,
      path: url.pathname + url.search,
      method: request.method,
      headers: { 'user-agent': 'Placard', 'accept-encoding': 'identity', ...request.headers },
      body: request.body ?? null,
      signal,
    });

  return {
    allowsHost: (hostname) => guard.allowsHost(hostname),
    async request(request) {
      const timeout = AbortSignal.timeout(request.timeoutMs);
      const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout;
      let url = request.url;
      for (let left = request.redirects; ; left--) {
        if (!guard.allowsHost(url.hostname))
          return { failure: 'address_not_allowed', message: `${url.hostname} is not a public address` };
        try {
          const response = await once(url, request, signal);
          // A body that nobody reads to its end is destroyed, and says so as an error.
          response.body.on('error', () => undefined);
          const location = response.headers['location'];
          if (response.statusCode < 300 || response.statusCode > 399 || typeof location !== 'string')
            return { status: response.statusCode, url, body: response.body };
          await response.body.dump();
          if (request.redirects === 0) return { status: response.statusCode, url, body: response.body };
          if (left === 0) return { failure: 'too_many_redirects', message: 'too many redirects' };
          const next = URL.parse(location, url.href);
          if (!next || !isHttp(next))
            return { failure: 'bad_redirect', message: `redirected to ${location}` };
          url = next;
        } catch (error) {
          return { failure: failureOf(error), message: messageOf(error) };
        }
      }
    },
    close: () => agent.destroy(),
  };
}

/** An address that may be asked for: http or https, without a password in it. */
export const isHttp = (url: URL): boolean =>
  (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === '';

/** What went wrong with a connection or in the middle of a body. */
export function failureOf(error: unknown): OutboundFailure {
  const code = codeOf(error) ?? '';
  if (code === NOT_ALLOWED) return 'address_not_allowed';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'dns_failed';
  if (/TIMEOUT/.test(code) || (error instanceof Error && error.name === 'TimeoutError')) return 'timeout';
  if (/CERT|TLS|SSL|SELF_SIGNED|ALTNAME/.test(code)) return 'tls_failed';
  return 'connection_failed';
}
