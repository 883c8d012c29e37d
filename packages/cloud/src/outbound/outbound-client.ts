import type { Readable } from 'node:stream';
import type { Agent } from 'undici';
import { errorCode, errorMessage } from '../domain/error-details.ts';
import { createAddressGuard, ADDRESS_NOT_ALLOWED } from './address-guard.ts';

export interface OutboundRequest {
  url: URL;
  method: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string;
  maxRedirects: number;
  /** Total timeout, including the body. */
  timeoutMs: number;
  signal?: AbortSignal;
}

/** Why a request failed; a stable machine-readable code. */
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
  /** The final URL, after redirects. */
  url: URL;
  body: Readable;
}

/** HTTP client for caller-supplied URLs. Connects only to allowed addresses, checked at connect time (SSRF protection). */
export interface OutboundClient {
  request(
    request: OutboundRequest,
  ): Promise<OutboundResponse | { failure: OutboundFailure; message: string }>;
  allowsHost(hostname: string): boolean;
  close: () => Promise<void>;
}

const CONNECT_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 30_000;

export function createOutboundClient(allowList: readonly string[] = []): OutboundClient {
  const guard = createAddressGuard(allowList);
  // The library is loaded with the first request: it takes a quarter of the start and 8 MB, and many clouds never need it.
  let agent: Promise<Agent> | undefined;
  let isClosed = false;
  const openAgent = async () => {
    if (isClosed) {
      throw new Error('the client is closed');
    }
    const undici = await import('undici');
    return new undici.Agent({
      connect: { lookup: guard.lookup, timeout: CONNECT_TIMEOUT_MS },
      headersTimeout: IDLE_TIMEOUT_MS,
      bodyTimeout: IDLE_TIMEOUT_MS,
    });
  };

  const sendOnce = async (url: URL, request: OutboundRequest, signal: AbortSignal) =>
    (await (agent ??= openAgent())).request({
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
      for (let redirectsLeft = request.maxRedirects; ; redirectsLeft--) {
        if (!guard.allowsHost(url.hostname)) {
          return { failure: 'address_not_allowed', message: `${url.hostname} is not a public address` };
        }
        try {
          const response = await sendOnce(url, request, signal);
          // Destroying an unread body emits an error event.
          response.body.on('error', () => undefined);
          const location = response.headers['location'];
          if (response.statusCode < 300 || response.statusCode > 399 || typeof location !== 'string') {
            return { status: response.statusCode, url, body: response.body };
          }
          await response.body.dump();
          if (request.maxRedirects === 0) {
            return { status: response.statusCode, url, body: response.body };
          }
          if (redirectsLeft === 0) {
            return { failure: 'too_many_redirects', message: 'too many redirects' };
          }
          const next = URL.parse(location, url.href);
          if (!next || !isHttp(next)) {
            return { failure: 'bad_redirect', message: `redirected to ${location}` };
          }
          url = next;
        } catch (error) {
          return { failure: classifyFailure(error), message: errorMessage(error) };
        }
      }
    },
    async close() {
      isClosed = true;
      await agent?.then(
        (opened) => opened.destroy(),
        () => undefined,
      );
    },
  };
}

/** True for http and https URLs without credentials. */
export const isHttp = (url: URL): boolean =>
  (url.protocol === 'http:' || url.protocol === 'https:') && url.username === '' && url.password === '';

export function classifyFailure(error: unknown): OutboundFailure {
  const code = errorCode(error) ?? '';
  if (code === ADDRESS_NOT_ALLOWED) {
    return 'address_not_allowed';
  }
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') {
    return 'dns_failed';
  }
  if (/TIMEOUT/.test(code) || (error instanceof Error && error.name === 'TimeoutError')) {
    return 'timeout';
  }
  if (/CERT|TLS|SSL|SELF_SIGNED|ALTNAME/.test(code)) {
    return 'tls_failed';
  }
  return 'connection_failed';
}
