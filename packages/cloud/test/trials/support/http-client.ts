import { Readable } from 'node:stream';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { cursorMeta, ERRORS } from '@placard/protocol/api';
import type { CursorMeta, ErrorCode, Meta } from '@placard/protocol/api';
import { Agent } from 'undici';
import { z } from 'zod';
import { assert, truncate } from './contract-violation.ts';

/** A request. `json` is serialized; `body` is sent unchanged. */
export interface HttpRequest {
  method: string;
  /** Includes the query; already percent-encoded. */
  path: string;
  key?: string | undefined;
  json?: unknown;
  body?: string | Buffer | Uint8Array | AsyncIterable<Uint8Array>;
  headers?: Record<string, string>;
  /** Loopback source address; default `127.0.0.1`. */
  from?: string | undefined;
}

/** A response that was validated as a success or error envelope. */
export interface ApiResponse {
  status: number;
  headers: Readonly<Record<string, string>>;
  text: string;
  /** Data of a success. */
  data: unknown;
  meta: Meta | CursorMeta | null;
  /** Error code; null for a success. */
  code: ErrorCode | null;
  message: string | null;
  details: unknown;
}

export interface HttpClient {
  readonly url: string;
  send(call: HttpRequest): Promise<ApiResponse>;
  /** Sends a request and returns the raw body, for responses without the envelope. */
  sendRaw(
    call: HttpRequest,
  ): Promise<{ status: number; headers: Readonly<Record<string, string>>; bytes: Buffer }>;
  /** Validates a response against the envelopes of the contract. */
  parseResponse(call: HttpRequest, plain: Awaited<ReturnType<HttpClient['sendRaw']>>): ApiResponse;
  /** Requests sent, by status. */
  readonly statusCounts: ReadonlyMap<number, number>;
  close(): Promise<void>;
}

const successEnvelope = z.strictObject({
  success: z.literal(true),
  data: z.unknown().refine((data) => data !== undefined, 'data is missing'),
  meta: z
    .union([
      z.strictObject({ page: z.int().min(1), limit: z.int().min(1), total: z.int().min(0) }),
      cursorMeta.strict(),
    ])
    .optional(),
});
const errorEnvelope = z.strictObject({
  success: z.literal(false),
  error: z.strictObject({
    code: z.string(),
    message: z.string().min(1),
    doc_url: z.url().optional(),
    details: z.unknown().optional(),
  }),
});

/**
 * Speaks HTTP to a cloud and throws a `ContractViolation` for every answer that is not in the shape of the contract,
 * or that is a 5xx. Connections come from a loopback address of choice, so that one machine can be many.
 */
export function createHttpClient(deps: { url: string; timeoutMs?: number }): HttpClient {
  const agents = new Map<string, Agent>();
  const statusCounts = new Map<number, number>();
  const timeoutMs = deps.timeoutMs ?? 60_000;
  const agentFor = (from: string) => {
    let agent = agents.get(from);
    if (!agent) {
      agent = new Agent({
        localAddress: from,
        headersTimeout: timeoutMs,
        bodyTimeout: timeoutMs,
      });
      agents.set(from, agent);
    }
    return agent;
  };

  const sendRaw: HttpClient['sendRaw'] = async (call) => {
    const body = call.json === undefined ? call.body : JSON.stringify(call.json);
    const response = await agentFor(call.from ?? '127.0.0.1').request({
      origin: deps.url,
      path: call.path,
      // Also unknown methods.
      // oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/no-unnecessary-type-assertion
      method: call.method as 'GET',
      headers: {
        ...(call.key === undefined ? {} : { authorization: `Bearer ${call.key}` }),
        ...(call.json === undefined ? {} : { 'content-type': 'application/json' }),
        ...call.headers,
      },
      body:
        body === undefined
          ? null
          : body instanceof Uint8Array || typeof body === 'string'
            ? body
            : Readable.from(body),
    });
    const bytes = decode(await response.body.arrayBuffer(), response.headers['content-encoding']);
    statusCounts.set(response.statusCode, (statusCounts.get(response.statusCode) ?? 0) + 1);
    const headers = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name, String(value)]),
    );
    return { status: response.statusCode, headers, bytes };
  };

  return {
    url: deps.url,
    statusCounts,
    sendRaw,
    parseResponse: (call, { status, headers, bytes }) =>
      parseApiResponse(call, status, headers, bytes.toString('utf8')),
    async send(call) {
      const { status, headers, bytes } = await sendRaw(call);
      return parseApiResponse(call, status, headers, bytes.toString('utf8'));
    },
    async close() {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

/** The body before it was compressed, which only a request that asks for it gets. */
function decode(body: ArrayBuffer, encoding: string | string[] | undefined): Buffer {
  if (body.byteLength === 0) {
    return Buffer.from(body);
  }
  return encoding === 'br'
    ? brotliDecompressSync(body)
    : encoding === 'gzip'
      ? gunzipSync(body)
      : Buffer.from(body);
}

/** One-line description of a request for reports. */
export function describeRequest(call: HttpRequest): string {
  const body = call.json === undefined ? call.body : JSON.stringify(call.json);
  const text = typeof body === 'string' ? body : body === undefined ? '' : '(bytes)';
  const headers = truncate(JSON.stringify(call.headers ?? {}), 300);
  return `${call.method} ${truncate(call.path, 300)} ${headers} ${truncate(text, 1_000)}`;
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code);

function parseApiResponse(
  call: HttpRequest,
  status: number,
  headers: Record<string, string>,
  text: string,
): ApiResponse {
  const exchange = `\n  sent: ${describeRequest(call)}\n  received: ${status} ${truncate(text, 1_500)}`;
  assert(status < 500, `a 5xx${exchange}`);
  assert(headers['x-request-id'], `no x-request-id${exchange}`);
  assert(
    headers['content-type']?.startsWith('application/json'),
    `not JSON (${headers['content-type']})${exchange}`,
  );
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    assert(false, `the body is not JSON${exchange}`);
  }
  if (status < 400) {
    const read = successEnvelope.safeParse(body);
    assert(read.success, `not the success envelope${exchange}`);
    return {
      status,
      headers,
      text,
      data: read.data.data,
      meta: read.data.meta ?? null,
      code: null,
      message: null,
      details: undefined,
    };
  }
  const read = errorEnvelope.safeParse(body);
  assert(read.success, `not the error envelope${exchange}`);
  const { code, message, details } = read.data.error;
  assert(isErrorCode(code), `an unknown error code${exchange}`);
  const known = ERRORS[code];
  assert(known.status === status, `${code} must be ${known.status}${exchange}`);
  assert(
    !/node_modules|\.ts:\d+|\n\s+at |SQLITE|sqlite/.test(text),
    `the response exposes internals${exchange}`,
  );
  if (status === 401) {
    assert(headers['www-authenticate'], `401 without WWW-Authenticate${exchange}`);
  }
  if (status === 405) {
    assert(headers['allow'], `405 without Allow${exchange}`);
  }
  if (status === 429) {
    assert(/^[1-9]\d*$/.test(headers['retry-after'] ?? ''), `429 without Retry-After${exchange}`);
  }
  if (code === 'VALIDATION_ERROR') {
    assert(
      Array.isArray(details) && details.length > 0 && details.every((one) => typeof one?.path === 'string'),
      `VALIDATION_ERROR without details${exchange}`,
    );
  }
  return { status, headers, text, data: null, meta: null, code, message, details };
}
