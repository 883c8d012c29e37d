import { errorEnvelope, ERRORS, listErrors, metaOf, operations } from '@placard/protocol/api';
import type { ErrorCode, Operation } from '@placard/protocol/api';
import { expect } from 'vitest';
import { z } from 'zod';

// Tests read responses of many shapes; each was validated against its schema before.
// oxlint-disable-next-line typescript/no-explicit-any
type AnyData = any;

export interface Reply {
  status: number;
  headers: Headers;
  data: AnyData;
  meta: AnyData;
  error: { code: ErrorCode; message: string; details?: AnyData } | undefined;
}

export interface ApiClient {
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  patch(path: string, body: unknown): Promise<Reply>;
  delete(path: string): Promise<Reply>;
  upload(bytes: Uint8Array, fileName: string, fields?: Record<string, string>): Promise<Reply>;
  /** Sends a file in place of that of an asset. */
  replace(
    id: string,
    bytes: Uint8Array,
    fields?: Record<string, string>,
    headers?: Record<string, string>,
  ): Promise<Reply>;
  /** Sends a request with any kind of body; the response is validated like the others. */
  send(method: string, path: string, init: PlainRequestInit): Promise<Reply>;
  raw(path: string, init?: PlainRequestInit): Promise<Response>;
}

/** Request options with headers as a plain object. */
interface PlainRequestInit extends RequestInit {
  headers?: Record<string, string>;
}

interface ApiClientDeps {
  url: () => string;
  secret: string | null;
  beforeRequest: () => void;
  /** Of a browser: what it adds to each request, and what it gets to keep. */
  cookies?: { headers: () => Record<string, string>; receive: (lines: readonly string[]) => void };
}

/** Those with the fewest parameters in their path first: `/v1/content/folders` also matches `/v1/content/{id}`. */
const PATTERNS = Object.values<Operation>(operations)
  .map((operation) => ({
    operation,
    pattern: new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`),
    parameters: operation.path.split('{').length - 1,
  }))
  .toSorted((a, b) => a.parameters - b.parameters);

/** The operation that a method and path belong to, if any. */
export function operationFor(method: string, path: string): Operation | undefined {
  const [pathWithoutQuery = ''] = path.split('?');
  return PATTERNS.find(
    ({ operation, pattern }) => operation.method === method && pattern.test(pathWithoutQuery),
  )?.operation;
}

const envelopes = new Map<Operation, z.ZodType>();
/** What surrounds the data of an operation. */
function envelopeOf(operation: Operation): z.ZodType {
  const known = envelopes.get(operation);
  if (known) {
    return known;
  }
  const envelope = z.strictObject({
    success: z.literal(true),
    data: operation.data,
    ...(operation.list ? { meta: metaOf(operation) } : {}),
  });
  envelopes.set(operation, envelope);
  return envelope;
}

/** A client that validates every response against the contract: schema, documented status, documented error. */
export function createApiClient({ url, secret, beforeRequest, cookies }: ApiClientDeps): ApiClient {
  const authorization: Record<string, string> = secret === null ? {} : { authorization: `Bearer ${secret}` };

  const send = async (method: string, path: string, init: PlainRequestInit): Promise<Reply> => {
    beforeRequest();
    const response = await fetch(url() + path, {
      ...init,
      method,
      headers: { ...authorization, ...cookies?.headers(), ...init.headers },
    });
    cookies?.receive(response.headers.getSetCookie());
    return checkContract(method, path, response);
  };

  const call: ApiClient['call'] = (method, path, body, headers = {}) =>
    send(method, path, {
      headers: { ...(body === undefined ? {} : { 'content-type': 'application/json' }), ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });

  return {
    call,
    send,
    get: (path, headers) => call('GET', path, undefined, headers),
    post: (path, body, headers) => call('POST', path, body, headers),
    patch: (path, body) => call('PATCH', path, body),
    delete: (path) => call('DELETE', path),
    upload: (bytes, fileName, fields = {}) =>
      send('POST', '/v1/content/upload', { body: formOf(bytes, fileName, fields), headers: NOT_REUSED }),
    replace: (id, bytes, fields = {}, headers = {}) =>
      send('POST', `/v1/content/${id}/replace`, {
        body: formOf(bytes, 'another.png', fields),
        headers: { ...NOT_REUSED, ...headers },
      }),
    async raw(path, init = {}) {
      beforeRequest();
      const response = await fetch(url() + path, {
        ...init,
        headers: { ...authorization, ...cookies?.headers(), ...init.headers },
      });
      cookies?.receive(response.headers.getSetCookie());
      return response;
    },
  };
}

/** When a test advances the clock, the cloud closes connections with a rejected body that is still being read. */
const NOT_REUSED = { connection: 'close' };

function formOf(bytes: Uint8Array, fileName: string, fields: Record<string, string>): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    form.set(name, value);
  }
  form.set('file', new Blob([Uint8Array.from(bytes)]), fileName);
  return form;
}

async function checkContract(method: string, path: string, response: Response): Promise<Reply> {
  const operation = operationFor(method, path);
  const what = `${method} ${path} → ${response.status}`;
  expect(response.headers.get('x-request-id'), what).toBeTruthy();
  const text = await response.text();
  if (response.status === 304 || (response.status === 204 && operation?.status === 204)) {
    return {
      status: response.status,
      headers: response.headers,
      data: undefined,
      meta: undefined,
      error: undefined,
    };
  }
  if (operation?.produces !== undefined && response.ok) {
    expect(response.headers.get('content-type'), what).toContain(operation.produces);
    return {
      status: response.status,
      headers: response.headers,
      data: text,
      meta: undefined,
      error: undefined,
    };
  }
  const body: AnyData = JSON.parse(text);
  if (response.status >= 400) {
    const { error } = errorEnvelope.parse(body);
    expect(ERRORS[error.code].status, what).toBe(response.status);
    if (operation) {
      expect(listErrors(operation), `${what} is documented`).toContain(error.code);
    }
    return { status: response.status, headers: response.headers, data: undefined, meta: undefined, error };
  }
  if (operation) {
    const read = envelopeOf(operation).safeParse(body);
    expect(read.error?.issues, what).toBeUndefined();
    expect(response.headers.get('content-type'), what).toBe('application/json; charset=utf-8');
  }
  const { data, meta: found } = body;
  return { status: response.status, headers: response.headers, data, meta: found, error: undefined };
}
