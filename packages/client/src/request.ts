import { buildForm, buildPath, buildQuery } from './encode-request.ts';
import { retryDelay } from './retry.ts';
import { sendOnce } from './send.ts';
import type { Answer } from './send.ts';
import type { RequestOptions, Result, UntypedInput } from './types.ts';
import { wait } from './wait.ts';

export interface ClientOptions {
  /** The address of the cloud, such as `https://signage.example.com`. Default in a browser: the origin of the page. */
  server?: string | undefined;
  /** An API key, or a function that returns the current one. Without a key: a session of the browser, or public operations. */
  apiKey?: string | (() => string | Promise<string>) | undefined;
  /** Milliseconds that each attempt may take; default 60,000. Files get longer by their size. */
  timeoutMs?: number | undefined;
  /** Further attempts after one that failed; default 3. Only what is safe to repeat is sent again. */
  retries?: number | undefined;
  /** Sent with every request. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Instead of the global one. */
  fetch?: typeof fetch | undefined;
}

/** How an operation is sent and read. */
export interface Shape {
  /** What is neither JSON nor a form is sent as it is, with this content type. */
  sends: 'json' | 'form' | (string & {});
  expects: 'json' | 'response';
  /** An idempotency key makes the operation happen once, so it may be sent again. */
  takesKey: boolean;
}

export interface Connection {
  /** Sends a request to a route such as `GET /v1/devices/{id}`, again if that is safe. */
  request: (route: string, input: UntypedInput, shape: Shape) => Promise<Result>;
  /** The response of one attempt, whose body nobody has read. */
  open: (route: string, input: UntypedInput) => Promise<Response>;
}

const DEFAULT_TIMEOUT_MS = 60_000;
const DEFAULT_RETRIES = 3;
/** The slowest line on which an upload may take its time. */
const BYTES_PER_MS = 16;

export function createConnection(options: ClientOptions): Connection {
  const server = serverOf(options.server);
  const fetchFrom: typeof fetch = options.fetch ?? ((...args) => fetch(...args));

  const prepare = async (route: string, input: UntypedInput, shape: Shape) => {
    const [method = '', path = ''] = route.split(' ');
    if (!path.startsWith('/')) {
      throw new TypeError(`a route is a method and a path, such as "GET /v1/devices"; this is "${route}"`);
    }
    const headers = new Headers({ ...options.headers, ...input.headers });
    const key = typeof options.apiKey === 'function' ? await options.apiKey() : options.apiKey;
    setHeader(headers, 'authorization', key === undefined ? undefined : `Bearer ${key}`);
    setHeader(headers, 'if-match', input.ifMatch);
    setHeader(headers, 'idempotency-key', shape.takesKey ? (input.idempotencyKey ?? newKey()) : undefined);
    const url = server + buildPath(path, input.path ?? {}) + buildQuery(input.query);
    const { body, bytes } = encodeBody(input.body, shape.sends, headers);
    return { method, url, headers, body, bytes };
  };

  const sendAttempts = async (route: string, input: UntypedInput, shape: Shape): Promise<Answer> => {
    const { method, url, headers, body, bytes } = await prepare(route, input, shape);
    const defaultMs = (options.timeoutMs ?? DEFAULT_TIMEOUT_MS) + Math.ceil(bytes / BYTES_PER_MS);
    const { signal, timeoutMs = defaultMs, retries = options.retries ?? DEFAULT_RETRIES } = input;
    const init = { method, headers, ...(body !== undefined && { body }) };
    for (let number = 0; ; number++) {
      try {
        return await sendOnce(fetchFrom, { url, init, signal, timeoutMs, expects: shape.expects });
      } catch (error) {
        const request = { method, hasIdempotencyKey: headers.has('idempotency-key') };
        const delayMs = retryDelay(error, request, { number, retries }, Math.random());
        if (delayMs === null) {
          throw error;
        }
        await wait(delayMs, signal);
      }
    }
  };

  return {
    async request(route, input, shape) {
      const { response, envelope } = await sendAttempts(route, input, shape);
      return {
        data: envelope === null ? response : envelope.data,
        meta: envelope?.meta,
        status: response.status,
        etag: response.headers.get('etag'),
        requestId: response.headers.get('x-request-id'),
        headers: response.headers,
      };
    },
    async open(route, input) {
      return (await sendAttempts(route, input, { sends: 'json', expects: 'response', takesKey: false }))
        .response;
    },
  };
}

/** `randomUUID` exists only on pages that came over HTTPS. */
const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, '0')).join(
    '',
  );

/** The origin and path of the cloud, without a slash at the end. */
function serverOf(server: string | undefined): string {
  const text = server ?? originOfPage();
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !['http:', 'https:'].includes(url.protocol) || url.username || url.password) {
    throw new TypeError(
      `server must be the address of the cloud, such as https://signage.example.com, without a password; it is "${text}"`,
    );
  }
  return url.origin + url.pathname.replace(/\/+$/, '');
}

function originOfPage(): string {
  const location: unknown = Reflect.get(globalThis, 'location');
  return typeof location === 'object' && location !== null && 'origin' in location
    ? String(location.origin)
    : '';
}

function setHeader(headers: Headers, name: string, value: string | undefined): void {
  if (value !== undefined) {
    headers.set(name, value);
  }
}

function encodeBody(body: unknown, sends: Shape['sends'], headers: Headers) {
  if (body === undefined) {
    return { body, bytes: 0 };
  }
  if (sends === 'form') {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    const fields = body as Record<string, unknown>;
    const sizes = Object.values(fields).map((value) => (value instanceof Blob ? value.size : 0));
    return { body: buildForm(fields), bytes: sizes.reduce((sum, size) => sum + size, 0) };
  }
  if (body instanceof Blob) {
    if (!headers.has('content-type')) {
      headers.set('content-type', sends === 'json' ? 'application/octet-stream' : sends);
    }
    return { body, bytes: body.size };
  }
  headers.set('content-type', 'application/json');
  return { body: JSON.stringify(body), bytes: 0 };
}

/** The settings of a call. */
export type Options = RequestOptions & { query?: Readonly<Record<string, unknown>> | undefined };
