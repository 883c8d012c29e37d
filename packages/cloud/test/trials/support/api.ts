import { errorsOf } from '@placard/protocol/api';
import type { Operation } from '@placard/protocol/api';
import { z } from 'zod';
import { must, short } from './breach.ts';
import { shown } from './client.ts';
import { listOf } from './json.ts';
import type { Answer, Call, Client } from './client.ts';

/** As a body: text that says it is JSON and is not. */
export const NOT_JSON = Symbol('not JSON');

/** What goes with an operation. The body may be anything, also nonsense. */
export interface Request {
  params?: Readonly<Record<string, string>> | undefined;
  query?: Readonly<Record<string, string | number>> | undefined;
  body?: unknown;
  headers?: Record<string, string> | undefined;
  /** Instead of the key that the API has. */
  key?: string | undefined;
  from?: string | undefined;
}

export type Answered<D> = Omit<Answer, 'data'> & { data: D | null };

const ordered = z.object({ id: z.string(), created_at: z.string() });

type AnyOperation<D extends z.ZodType> = Operation<z.ZodType, z.ZodType, z.ZodType, D>;

/** Calls an operation by its definition and checks the answer against it: status, refusals, data, page. */
export interface Api {
  readonly client: Client;
  call<D extends z.ZodType>(op: AnyOperation<D>, request?: Request): Promise<Answered<z.infer<D>>>;
  /** The same for calls that have to succeed. */
  get<D extends z.ZodType>(op: AnyOperation<D>, request?: Request): Promise<z.infer<D>>;
  /** All rows of a list, page by page; checks order, total, and that no row comes twice. */
  all<D extends z.ZodArray>(
    op: AnyOperation<D>,
    query?: Request['query'],
    limit?: number,
  ): Promise<z.infer<D>>;
}

export function createApi(deps: { client: Client; key: () => Promise<string> | string }): Api {
  const api: Api = {
    client: deps.client,
    async call(op, request = {}) {
      const call = await toCall(op, request, deps.key);
      const answer = await deps.client.send(call);
      const facts = `\n  sent: ${shown(call)}\n  came: ${answer.status} ${short(answer.text, 1_500)}`;
      if (answer.code !== null) {
        must(errorsOf(op).includes(answer.code), `${op.id} may not answer ${answer.code}${facts}`);
        return { ...answer, data: null };
      }
      const mayBe: number[] = op.id === 'pollPairing' ? [200, 202] : [op.status];
      must(mayBe.includes(answer.status), `${op.id} must answer ${op.status}${facts}`);
      must((answer.meta !== null) === op.list, `${op.id}: meta belongs to lists${facts}`);
      const read = op.data.safeParse(answer.data);
      must(read.success, `${op.id}: the data is not as documented (${read.error?.message})${facts}`);
      return { ...answer, data: read.data };
    },
    async get(op, request) {
      const answer = await api.call(op, request);
      must(answer.data !== null, `${op.id} must succeed`, {
        request,
        code: answer.code,
        text: answer.message,
      });
      return answer.data;
    },
    async all(op, query = {}, limit = 100) {
      const rows: unknown[] = [];
      for (let page = 1; ; page++) {
        const answer: Answered<unknown> = await api.call(op, { query: { ...query, page, limit } });
        must(answer.data !== null && answer.meta !== null, `${op.id} must list`, answer.text);
        const part = listOf(answer.data);
        rows.push(...part);
        must(answer.meta.page === page && answer.meta.limit === limit, `${op.id}: wrong meta`, answer.meta);
        must(
          part.length === Math.min(limit, Math.max(0, answer.meta.total - (page - 1) * limit)),
          `${op.id}: page ${page} of ${limit} holds ${part.length} of ${answer.meta.total}`,
        );
        if (part.length < limit) break;
      }
      const keys = rows.map((row) => ordered.parse(row));
      must(new Set(keys.map((row) => row.id)).size === rows.length, `${op.id}: a row came twice`, rows);
      for (const [index, row] of keys.entries()) {
        const before = keys[index - 1];
        if (before) must(before.created_at >= row.created_at, `${op.id}: not newest first`, [before, row]);
      }
      return op.data.parse(rows);
    },
  };
  return api;
}

async function toCall(op: Operation, request: Request, key: () => Promise<string> | string): Promise<Call> {
  const path = op.path.replace(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(request.params?.[name] ?? ''),
  );
  const query = new URLSearchParams(
    Object.entries(request.query ?? {}).map(([name, value]): [string, string] => [name, String(value)]),
  ).toString();
  return {
    method: op.method,
    path: query === '' ? path : `${path}?${query}`,
    key: request.key ?? (op.access === 'Public' ? undefined : await key()),
    ...bodyOf(request.body),
    headers: {
      ...(request.body === NOT_JSON ? { 'content-type': 'application/json' } : {}),
      ...request.headers,
    },
    from: request.from,
  };
}

function bodyOf(body: unknown): Pick<Call, 'json' | 'body'> {
  if (body === undefined) return {};
  return body === NOT_JSON ? { body: '{"name": "half a' } : { json: body };
}
