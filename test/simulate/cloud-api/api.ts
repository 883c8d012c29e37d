import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { operations } from '@placard/protocol/api';
import type { Operation, Scope } from '@placard/protocol/api';
import { Agent } from 'undici';
import type { Dispatcher } from 'undici';
import { z } from 'zod';
import { createKeys } from './keys.ts';

/** Tries of a request that is not answered, or for which the cloud is too busy. */
const MAX_TRIES = 60;
const RETRY_MS = 1_000;

const envelope = z.union([
  z.object({ success: z.literal(true), data: z.unknown() }),
  z.object({ success: z.literal(false), error: z.object({ code: z.string(), message: z.string() }) }),
]);

/** The cloud has refused a request. */
export class Refusal extends Error {
  override readonly name = 'Refusal';
  readonly code: string;

  constructor(operation: string, code: string, message: string) {
    super(`${operation}: ${code}: ${message}`);
    this.code = code;
  }
}

type AnyOperation<D extends z.ZodType> = Operation<z.ZodType, z.ZodType, z.ZodType, D>;

interface ApiRequest {
  params?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string | number>>;
  body?: unknown;
  /** Sent with POST, so that a repeated request has one effect. */
  idempotencyKey?: string;
}

/** The public API, called within its rate limits. */
export interface CloudApi {
  /** Repeats a request that was not answered; throws `Refusal`. */
  call<D extends z.ZodType>(op: AnyOperation<D>, request?: ApiRequest): Promise<z.infer<D>>;
  /** The lines of a report as CSV, without the heading. */
  csvLines(op: Operation, query: ApiRequest['query']): AsyncGenerator<string>;
  /** Revokes the keys that it has created. */
  close(): Promise<void>;
}

/** The API of these clouds, with an Admin key. Further keys are created as they are needed, because each has a rate limit. */
export function createCloudApi({
  servers,
  adminKey,
}: {
  servers: readonly string[];
  adminKey: string;
}): CloudApi {
  const agent = new Agent({ connections: 8 });
  let turn = 0;

  async function send(op: Operation, request: ApiRequest, key: string): Promise<Dispatcher.ResponseData> {
    const server = servers[turn % servers.length]!;
    const body = request.body === undefined ? null : JSON.stringify(request.body);
    return agent.request({
      origin: new URL(server).origin,
      path: new URL(server).pathname.replace(/\/$/, '') + pathOf(op, request),
      method: op.method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(body !== null && { 'content-type': 'application/json' }),
        ...(request.idempotencyKey !== undefined && { 'idempotency-key': request.idempotencyKey }),
      },
      body,
    });
  }

  /** The answer, once there is one that is neither a failure of the cloud nor a rate limit. */
  async function sendUntilAnswered(
    op: Operation,
    request: ApiRequest,
    takeKey: () => Promise<string>,
  ): Promise<Dispatcher.ResponseData> {
    for (let tries = 1; ; tries++) {
      let problem: string;
      try {
        const response = await send(op, request, await takeKey());
        if (response.statusCode < 500 && response.statusCode !== 429) {
          return response;
        }
        problem = `HTTP ${response.statusCode}`;
        await response.body.dump();
        await sleep(1_000 * Number(response.headers['retry-after'] ?? 0));
      } catch (error) {
        problem = String(error);
      }
      if (tries === MAX_TRIES) {
        throw new Error(`${op.id} was not answered by ${servers.join(', ')}: ${problem}`);
      }
      turn += 1;
      await sleep(RETRY_MS);
    }
  }

  async function callWith<D extends z.ZodType>(
    op: AnyOperation<D>,
    request: ApiRequest,
    takeKey: () => Promise<string>,
  ): Promise<z.infer<D>> {
    const response = await sendUntilAnswered(op, request, takeKey);
    const read = envelope.parse(await response.body.json());
    if (!read.success) {
      throw new Refusal(op.id, read.error.code, read.error.message);
    }
    return op.data.parse(read.data);
  }

  const keys = createKeys({
    adminKey,
    create: async (scope, expiresAt, takeKey) =>
      callWith(
        operations.createApiKey,
        { body: { name: 'simulator', scope, expires_at: expiresAt } },
        takeKey,
      ),
    remove: async (id, takeKey) => {
      await callWith(operations.deleteApiKey, { params: { id } }, takeKey);
    },
  });
  const takerOf = (op: Operation) => () => keys.take(scopeOf(op));

  return {
    call: (op, request = {}) => callWith(op, request, takerOf(op)),
    async *csvLines(op, query) {
      const response = await sendUntilAnswered(op, query ? { query } : {}, takerOf(op));
      if (response.statusCode !== 200) {
        const read = envelope.parse(await response.body.json());
        throw new Refusal(op.id, read.success ? String(response.statusCode) : read.error.code, '');
      }
      let isHeading = true;
      for await (const line of createInterface({ input: response.body, crlfDelay: Infinity })) {
        if (!isHeading) {
          yield line;
        }
        isHeading = false;
      }
    },
    async close() {
      await keys.close();
      await agent.destroy();
    },
  };
}

const scopeOf = ({ access }: Operation): Scope =>
  access === 'Admin' || access === 'Write' ? access : 'Read';

function pathOf(op: Operation, { params = {}, query = {} }: ApiRequest): string {
  const path = op.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(params[name] ?? ''));
  const search = new URLSearchParams(
    Object.entries(query).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return search === '' ? path : `${path}?${search}`;
}
