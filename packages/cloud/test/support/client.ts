import { errorEnvelope, ERRORS, errorsOf, meta, operations } from '@placard/protocol/api';
import type { ErrorCode, Meta, Operation } from '@placard/protocol/api';
import { expect } from 'vitest';
import { z } from 'zod';

// Tests look into answers of many shapes; each is checked against its schema before.
// oxlint-disable-next-line typescript/no-explicit-any
type Data = any;

export interface Reply {
  status: number;
  headers: Headers;
  data: Data;
  meta: Meta | undefined;
  error: { code: ErrorCode; message: string; details?: Data } | undefined;
}

export interface Client {
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  get(path: string, headers?: Record<string, string>): Promise<Reply>;
  post(path: string, body?: unknown, headers?: Record<string, string>): Promise<Reply>;
  patch(path: string, body: unknown): Promise<Reply>;
  delete(path: string): Promise<Reply>;
  upload(bytes: Uint8Array, fileName: string, fields?: Record<string, string>): Promise<Reply>;
  /** A request with a body of any kind; the answer is checked like the others. */
  send(method: string, path: string, init: Init): Promise<Reply>;
  raw(path: string, init?: Init): Promise<Response>;
}

/** A request with plain headers. */
interface Init extends RequestInit {
  headers?: Record<string, string>;
}

interface ClientDeps {
  url: () => string;
  secret: string | null;
  before: () => void;
}

const ALL: readonly Operation[] = Object.values(operations);

/** The operation that a request is for, if any. */
export function operationFor(method: string, path: string): Operation | undefined {
  const [bare = ''] = path.split('?');
  const fits = (operation: Operation) =>
    new RegExp(`^${operation.path.replaceAll(/\{\w+\}/g, '[^/]+')}$`).test(bare);
  const found = ALL.filter((operation) => operation.method === method && fits(operation));
  // `/v1/content/folders` also fits `/v1/content/{id}`: the one without parameters is meant.
  return found.toSorted((a, b) => a.path.split('{').length - b.path.split('{').length)[0];
}

/** A client that checks every answer against the contract: shape, documented status, documented error. */
export function createClient({ url, secret, before }: ClientDeps): Client {
  const authorization: Record<string, string> = secret === null ? {} : { authorization: `Bearer ${secret}` };

  const send = async (method: string, path: string, init: Init): Promise<Reply> => {
    before();
    const response = await fetch(url() + path, {
      ...init,
      method,
      headers: { ...authorization, ...init.headers },
    });
    return check(method, path, response);
  };

  const call: Client['call'] = (method, path, body, headers = {}) =>
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
    upload(bytes, fileName, fields = {}) {
      const form = new FormData();
      for (const [name, value] of Object.entries(fields)) form.set(name, value);
      form.set('file', new Blob([Uint8Array.from(bytes)]), fileName);
      // Not reused: the cloud ends a connection whose refused body it is still reading when a test moves the clock on.
      return send('POST', '/v1/content/upload', { body: form, headers: { connection: 'close' } });
    },
    raw(path, init = {}) {
      before();
      return fetch(url() + path, {
        ...init,
        headers: { ...authorization, ...init.headers },
      });
    },
  };
}

async function check(method: string, path: string, response: Response): Promise<Reply> {
  const operation = operationFor(method, path);
  const what = `${method} ${path} → ${response.status}`;
  expect(response.headers.get('x-request-id'), what).toBeTruthy();
  const text = await response.text();
  if (response.status === 304)
    return { status: 304, headers: response.headers, data: undefined, meta: undefined, error: undefined };
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
  const body: Data = JSON.parse(text);
  if (response.status >= 400) {
    const { error } = errorEnvelope.parse(body);
    expect(ERRORS[error.code].status, what).toBe(response.status);
    if (operation) expect(errorsOf(operation), `${what} is documented`).toContain(error.code);
    return { status: response.status, headers: response.headers, data: undefined, meta: undefined, error };
  }
  if (operation) {
    const envelope = z.strictObject({
      success: z.literal(true),
      data: operation.data,
      ...(operation.list ? { meta } : {}),
    });
    const read = envelope.safeParse(body);
    expect(read.error?.issues, what).toBeUndefined();
    expect(response.headers.get('content-type'), what).toBe('application/json; charset=utf-8');
  }
  const { data, meta: found } = body;
  return { status: response.status, headers: response.headers, data, meta: found, error: undefined };
}
