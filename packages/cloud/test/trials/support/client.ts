import { Readable } from 'node:stream';
import { ERRORS } from '@placard/protocol/api';
import type { ErrorCode } from '@placard/protocol/api';
import { Agent } from 'undici';
import { z } from 'zod';
import { must, short } from './breach.ts';

/** What is sent. `json` is serialized; `body` goes out as it is. */
export interface Call {
  method: string;
  /** With query; already percent-encoded. */
  path: string;
  key?: string | undefined;
  json?: unknown;
  body?: string | Buffer | Uint8Array | AsyncIterable<Uint8Array>;
  headers?: Record<string, string>;
  /** Loopback address that the request seems to come from, `127.0.0.1` when absent. */
  from?: string | undefined;
}

/** What came back, already found to have one of the two shapes of the contract. */
export interface Answer {
  status: number;
  headers: Readonly<Record<string, string>>;
  text: string;
  /** Of a success. */
  data: unknown;
  meta: { page: number; limit: number; total: number } | null;
  /** Of a refusal. */
  code: ErrorCode | null;
  message: string | null;
  details: unknown;
}

export interface Client {
  readonly url: string;
  send(call: Call): Promise<Answer>;
  /** Bytes of an address that does not answer with an envelope. */
  raw(call: Call): Promise<{ status: number; headers: Readonly<Record<string, string>>; bytes: Buffer }>;
  /** Holds an answer against the shapes of the contract. */
  read(call: Call, plain: Awaited<ReturnType<Client['raw']>>): Answer;
  /** Requests sent, by status. */
  readonly statuses: ReadonlyMap<number, number>;
  close(): Promise<void>;
}

const success = z.strictObject({
  success: z.literal(true),
  data: z.unknown().refine((data) => data !== undefined, 'data is missing'),
  meta: z.strictObject({ page: z.int().min(1), limit: z.int().min(1), total: z.int().min(0) }).optional(),
});
const failure = z.strictObject({
  success: z.literal(false),
  error: z.strictObject({ code: z.string(), message: z.string().min(1), details: z.unknown().optional() }),
});

/**
 * Speaks HTTP to a cloud and throws a `Breach` for every answer that is not in the shape of the contract,
 * or that is a 5xx. Connections come from a loopback address of choice, so that one machine can be many.
 */
export function createClient(deps: { url: string; timeoutMs?: number }): Client {
  const agents = new Map<string, Agent>();
  const statuses = new Map<number, number>();
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

  const raw: Client['raw'] = async (call) => {
    const body = call.json === undefined ? call.body : JSON.stringify(call.json);
    const answer = await agentFor(call.from ?? '127.0.0.1').request({
      origin: deps.url,
      path: call.path,
      // Also methods that nobody knows.
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
    const bytes = Buffer.from(await answer.body.arrayBuffer());
    statuses.set(answer.statusCode, (statuses.get(answer.statusCode) ?? 0) + 1);
    const headers = Object.fromEntries(
      Object.entries(answer.headers).map(([name, value]) => [name, String(value)]),
    );
    return { status: answer.statusCode, headers, bytes };
  };

  return {
    url: deps.url,
    statuses,
    raw,
    read: (call, { status, headers, bytes }) => readAnswer(call, status, headers, bytes.toString('utf8')),
    async send(call) {
      const { status, headers, bytes } = await raw(call);
      return readAnswer(call, status, headers, bytes.toString('utf8'));
    },
    async close() {
      await Promise.all([...agents.values()].map((agent) => agent.destroy()));
    },
  };
}

/** One line for reports: what was sent. */
export function shown(call: Call): string {
  const body = call.json === undefined ? call.body : JSON.stringify(call.json);
  const text = typeof body === 'string' ? body : body === undefined ? '' : '(bytes)';
  const headers = short(JSON.stringify(call.headers ?? {}), 300);
  return `${call.method} ${short(call.path, 300)} ${headers} ${short(text, 1_000)}`;
}

const isErrorCode = (code: string): code is ErrorCode => Object.hasOwn(ERRORS, code);

function readAnswer(call: Call, status: number, headers: Record<string, string>, text: string): Answer {
  const facts = `\n  sent: ${shown(call)}\n  came: ${status} ${short(text, 1_500)}`;
  must(status < 500, `a 5xx${facts}`);
  must(headers['x-request-id'], `no x-request-id${facts}`);
  must(
    headers['content-type']?.startsWith('application/json'),
    `not JSON (${headers['content-type']})${facts}`,
  );
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    must(false, `the body is not JSON${facts}`);
  }
  if (status < 400) {
    const read = success.safeParse(body);
    must(read.success, `not the success envelope${facts}`);
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
  const read = failure.safeParse(body);
  must(read.success, `not the error envelope${facts}`);
  const { code, message, details } = read.data.error;
  must(isErrorCode(code), `an unknown error code${facts}`);
  const known = ERRORS[code];
  must(known.status === status, `${code} must be ${known.status}${facts}`);
  must(
    !/node_modules|\.ts:\d+|\n\s+at |SQLITE|sqlite/.test(text),
    `the answer tells about the inside${facts}`,
  );
  if (status === 401) must(headers['www-authenticate'], `401 without WWW-Authenticate${facts}`);
  if (status === 405) must(headers['allow'], `405 without Allow${facts}`);
  if (status === 429)
    must(/^[1-9]\d*$/.test(headers['retry-after'] ?? ''), `429 without Retry-After${facts}`);
  if (code === 'VALIDATION_ERROR')
    must(
      Array.isArray(details) && details.length > 0 && details.every((one) => typeof one?.path === 'string'),
      `VALIDATION_ERROR without details${facts}`,
    );
  return { status, headers, text, data: null, meta: null, code, message, details };
}
