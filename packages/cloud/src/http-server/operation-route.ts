import type { IdKind } from '@placard/protocol';
import type { CursorMeta, Meta, Operation, Problem, Scope } from '@placard/protocol/api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Readable } from 'node:stream';
import type { z } from 'zod';
import type { ListQuery, Paging } from '../database/list-part.ts';
import type { Page } from '../database/paging.ts';
import type { CloudDatabase, Repositories, Transaction } from '../database/cloud-database.ts';

/** Who uses the API: a program with a key, or a person who has signed in. */
export interface Actor {
  type: 'api_key' | 'user';
  id: string;
  name: string;
  scope: Scope;
  /** Ids of the stores that a person is bound to; null for all. */
  stores: readonly string[] | null;
  /** Of a person. */
  session: { id: string; expiresMs: number } | null;
}

/** The caller: a key or person, a paired device, or unauthenticated. */
export interface Caller {
  actor: Actor | null;
  deviceId: string | null;
  /** What the actor authenticated with. */
  secret: string | null;
}

export const UNAUTHENTICATED: Caller = { actor: null, deviceId: null, secret: null };

/** Who has the connection, and whose changes take turns with those of others; null without authentication. */
export const callerName = ({ actor, deviceId }: Caller): string | null =>
  actor ? `${actor.type} ${actor.id}` : deviceId === null ? null : deviceCallerName(deviceId);

/** That of a device. */
export const deviceCallerName = (deviceId: string): string => `device ${deviceId}`;

/** The result of a handler; the server wraps it in the envelope. */
export type HandlerResult<D> =
  | {
      data: D;
      meta?: Meta | CursorMeta;
      status?: number;
      headers?: Record<string, string>;
      /** What was asked for was so already: the audit log gets no entry. */
      isUnchanged?: true;
    }
  /** `data` that is already serialized JSON: a text, or chunks of UTF-8. */
  | {
      json: string | readonly Buffer[];
      meta?: Meta | CursorMeta;
      status?: number;
      headers?: Record<string, string>;
    }
  /** Statuses without a body, such as 304. */
  | { emptyStatus: number; headers: Record<string, string> }
  | { stream: Readable; headers: Record<string, string> }
  /** The handler has begun to send the response, and goes on by itself. */
  | { isSent: true };

/** A request after authentication, rate limiting and validation. */
export interface OperationRequest<O extends Operation> extends Caller {
  params: z.output<O['params']>;
  query: z.output<O['query']>;
  body: z.output<O['body']>;
  request: FastifyRequest;
  reply: FastifyReply;
  nowMs: number;
  /**
   * Runs the change in one transaction, which also stores the response when the request has an Idempotency-Key.
   * `fingerprint` replaces the body in the comparison when the body was streamed.
   */
  commit: (
    run: (tx: Transaction) => Promise<HandlerResult<z.input<O['data']>>>,
    fingerprint?: string,
  ) => Promise<HandlerResult<z.input<O['data']>>>;
}

export type Handler<O extends Operation> = (
  call: OperationRequest<O>,
) => Promise<HandlerResult<z.input<O['data']>>>;

export interface Route {
  operation: Operation;
  handle: Handler<Operation>;
  /** Finds problems that the handler would report, in a body that the schema rejected, so that all are reported at once. */
  findMoreProblems?: FindProblems | undefined;
  /** Set on the GET of a resource. */
  resource?: Resource;
  /** The same as `handle`, which needs nothing else of a request: for requests that are answered without the framework. */
  handleDirectly?: DirectHandler<Operation>;
}

/** What a direct handler gets of a request. */
export type DirectHandler<O extends Operation> = (
  call: Pick<OperationRequest<O>, 'deviceId' | 'body' | 'nowMs'>,
) => Promise<{ data: z.input<O['data']> }>;

/** What a resource can be read from: the database, or a transaction with its changes. */
export type ResourceSource = Repositories & Pick<CloudDatabase, 'manifestBuilder'>;

/** A resource with an ETag. Changes at its path can be made conditional on it. */
export interface Resource<P = unknown, D = unknown> {
  /** `stores` are those that a person is bound to; undefined for all. */
  read: (source: ResourceSource, params: P, stores?: readonly string[]) => Promise<D>;
  /** What clients can change of it; left out when that is all. */
  settingsOf?: (data: D) => unknown;
}

type FindProblems = (body: unknown) => Problem[];

/** Binds a handler to an operation; the compiler checks it against the schemas. */
export function route<O extends Operation>(
  operation: O,
  handle: Handler<O>,
  findMoreProblems?: FindProblems,
): Route {
  // The server passes each handler only input that its own schemas accepted.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/no-unnecessary-type-assertion
  return { operation, handle: handle as unknown as Handler<Operation>, findMoreProblems };
}

/** A route of devices whose ordinary requests are answered without the framework (`direct-requests.ts`). */
export function directRoute<O extends Operation>(operation: O, handle: DirectHandler<O>): Route {
  // As above.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion, typescript/no-unnecessary-type-assertion
  return { ...route(operation, handle), handleDirectly: handle as unknown as DirectHandler<Operation> };
}

/** The GET of a resource that other operations at its path change. */
export function resourceRoute<O extends Operation>(
  source: ResourceSource,
  operation: O,
  resource: Resource<z.output<O['params']>, z.input<O['data']>>,
  handle: Handler<O> = async ({ params, actor }) => ({
    data: await resource.read(source, params, actor?.stores ?? undefined),
  }),
): Route {
  // As above; the server passes the data on only to the same resource.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  return { ...route(operation, handle), resource: resource as unknown as Resource };
}

/** What a person who is bound to stores asks for. */
export interface StoreAccessCall {
  stores: readonly string[];
  params: unknown;
  query: unknown;
  body: unknown;
}

/** Throws when an operation concerns more than the stores that the person is bound to. */
export type StoreAccess = (
  repositories: Repositories,
  operationId: string,
  call: StoreAccessCall,
) => Promise<void>;

export type Change = (tx: Transaction) => Promise<HandlerResult<unknown>>;

export interface AuditedCall {
  operation: Pick<Operation, 'id'>;
  caller: Caller;
  request: Pick<FastifyRequest, 'params' | 'ip' | 'id'>;
  nowMs: number;
  newId: (kind: IdKind) => string;
}

/** Wraps a change so that the same transaction writes an audit entry. */
export type AuditRecorder = (change: Change, call: AuditedCall) => Change;

/** A part of a list of resources, by page or by cursor. */
export function listResult<R, T>(
  { rows, total, nextCursor }: Page<R>,
  present: (row: R) => T,
  query: ListQuery,
): { data: T[]; meta: Meta | CursorMeta } {
  const data = rows.map(present);
  return total === null
    ? { data, meta: { limit: query.limit, next_cursor: nextCursor, has_more: nextCursor !== null } }
    : pagedResult(data, total, query);
}

export function pagedResult<T>(rows: T[], total: number, paging: Paging): { data: T[]; meta: Meta } {
  return { data: rows, meta: { page: paging.page, limit: paging.limit, total } };
}
