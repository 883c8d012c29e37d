import { listErrors } from '@placard/protocol/api';
import type { Operation } from '@placard/protocol/api';
import { z } from 'zod';
import { assert, truncate } from './contract-violation.ts';
import { describeRequest } from './http-client.ts';
import { asArray } from './json.ts';
import type { ApiResponse, HttpRequest, HttpClient } from './http-client.ts';

/** As a body: text that is not JSON, sent with a JSON content type. */
export const NOT_JSON = Symbol('not JSON');

/** Parts of a request. The body may be invalid. */
export interface OperationRequest {
  params?: Readonly<Record<string, string>> | undefined;
  query?: Readonly<Record<string, string | number>> | undefined;
  body?: unknown;
  headers?: Record<string, string> | undefined;
  /** Replaces the default key. */
  key?: string | undefined;
  from?: string | undefined;
}

export type OperationResponse<D> = Omit<ApiResponse, 'data'> & { data: D | null };

const ordered = z.object({ id: z.string(), created_at: z.string() });

type AnyOperation<D extends z.ZodType> = Operation<z.ZodType, z.ZodType, z.ZodType, D>;

/** Calls an operation by its definition and validates the response: status, errors, data, paging. */
export interface Api {
  readonly client: HttpClient;
  call<D extends z.ZodType>(
    op: AnyOperation<D>,
    request?: OperationRequest,
  ): Promise<OperationResponse<z.infer<D>>>;
  /** The same for calls that must succeed. */
  expectSuccess<D extends z.ZodType>(op: AnyOperation<D>, request?: OperationRequest): Promise<z.infer<D>>;
  /** All rows of a list, page by page; checks order, total, and that no row is repeated. */
  listAll<D extends z.ZodArray>(
    op: AnyOperation<D>,
    query?: OperationRequest['query'],
    limit?: number,
  ): Promise<z.infer<D>>;
}

export function createApi(deps: { client: HttpClient; key: () => Promise<string> | string }): Api {
  const api: Api = {
    client: deps.client,
    async call(op, request = {}) {
      const call = await toHttpRequest(op, request, deps.key);
      const response = await deps.client.send(call);
      const details = `\n  sent: ${describeRequest(call)}\n  received: ${response.status} ${truncate(response.text, 1_500)}`;
      if (response.code !== null) {
        assert(listErrors(op).includes(response.code), `${op.id} must not return ${response.code}${details}`);
        return { ...response, data: null };
      }
      const allowedStatuses: number[] = op.id === 'pollPairing' ? [200, 202] : [op.status];
      assert(allowedStatuses.includes(response.status), `${op.id} must return ${op.status}${details}`);
      assert((response.meta !== null) === (op.list !== null), `${op.id}: meta belongs to lists${details}`);
      const read = op.data.safeParse(response.data);
      assert(read.success, `${op.id}: the data is not as documented (${read.error?.message})${details}`);
      return { ...response, data: read.data };
    },
    async expectSuccess(op, request) {
      const response = await api.call(op, request);
      assert(response.data !== null, `${op.id} must succeed`, {
        request,
        code: response.code,
        text: response.message,
      });
      return response.data;
    },
    async listAll(op, query = {}, limit = 100) {
      const rows: unknown[] = [];
      for (let page = 1; ; page++) {
        const response: OperationResponse<unknown> = await api.call(op, { query: { ...query, page, limit } });
        const { data, meta } = response;
        assert(data !== null && meta && 'page' in meta, `${op.id} must list in pages`, response.text);
        const part = asArray(data);
        rows.push(...part);
        assert(meta.page === page && meta.limit === limit, `${op.id}: wrong meta`, meta);
        assert(
          part.length === Math.min(limit, Math.max(0, meta.total - (page - 1) * limit)),
          `${op.id}: page ${page} of ${limit} holds ${part.length} of ${meta.total}`,
        );
        if (part.length < limit) {
          break;
        }
      }
      const keys = rows.map((row) => ordered.parse(row));
      assert(new Set(keys.map((row) => row.id)).size === rows.length, `${op.id}: a row came twice`, rows);
      for (const [index, row] of keys.entries()) {
        const before = keys[index - 1];
        if (before) {
          assert(before.created_at >= row.created_at, `${op.id}: not newest first`, [before, row]);
        }
      }
      return op.data.parse(rows);
    },
  };
  return api;
}

async function toHttpRequest(
  op: Operation,
  request: OperationRequest,
  key: () => Promise<string> | string,
): Promise<HttpRequest> {
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

function bodyOf(body: unknown): Pick<HttpRequest, 'json' | 'body'> {
  if (body === undefined) {
    return {};
  }
  return body === NOT_JSON ? { body: '{"name": "half a' } : { json: body };
}
