import type { components, operations } from './schema.generated.ts';

/** An operation of the API; the names of webhooks have a dot. */
export type OperationId = Exclude<keyof operations, `${string}.${string}`>;

type Parameters<Id extends OperationId> = operations[Id]['parameters'];
type Responses<Id extends OperationId> = operations[Id]['responses'];
type Success<Id extends OperationId> = Responses<Id>[keyof Responses<Id> & (200 | 201 | 202 | 204)];
type Content<T> = T extends { content: infer C } ? C : never;
/** Absent and undefined are the same in a query. */
type Loose<T> = { [K in keyof T]: T[K] | undefined };

/** The query of an operation. */
export type Query<Id extends OperationId> =
  Parameters<Id> extends { query?: infer Q } ? Loose<NonNullable<Q>> : never;

/** The body of an operation; files of a form are `Blob` or `File`. */
export type Body<Id extends OperationId> = operations[Id] extends { requestBody?: infer B }
  ? Content<B>[keyof Content<B>]
  : never;

type Envelope<Id extends OperationId> =
  Content<Success<Id>> extends { 'application/json': infer E } ? E : never;

/** What an operation returns: `data` of the response. What is not JSON is a `Response` that nobody has read. */
export type Data<Id extends OperationId> = [Envelope<Id>] extends [never]
  ? 204 extends keyof Responses<Id>
    ? undefined
    : Response
  : Envelope<Id> extends { data: infer D }
    ? D
    : never;

/** `meta` of an operation that returns a part of a list. */
export type MetaOf<Id extends OperationId> = Envelope<Id> extends { meta: infer M } ? M : undefined;

/** Settings of one request. */
export interface RequestOptions {
  /** Ends the request; it then throws the reason of the signal. */
  signal?: AbortSignal | undefined;
  /** Milliseconds that each attempt may take; 0 is no limit. Default: that of the client, longer for files. */
  timeoutMs?: number | undefined;
  /** Further attempts after one that failed. Default: that of the client. */
  retries?: number | undefined;
  /** Makes a POST happen once however often it is sent. Default: a new one for each call, the same for its attempts. */
  idempotencyKey?: string | undefined;
  /** The `etag` with which a resource was read: a change is 412 `PRECONDITION_FAILED` if somebody has changed it since. */
  ifMatch?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
}

/** Settings of a change that has a query. */
export type WithQuery<Id extends OperationId> = RequestOptions & { query?: Query<Id> | undefined };

type PathInput<Id extends OperationId> = Parameters<Id> extends { path: infer P } ? { path: P } : unknown;
type QueryInput<Id extends OperationId> =
  Parameters<Id> extends { query: object }
    ? { query: Query<Id> }
    : [Query<Id>] extends [never]
      ? unknown
      : { query?: Query<Id> | undefined };
type BodyInput<Id extends OperationId> = operations[Id] extends { requestBody: object }
  ? { body: Body<Id> }
  : operations[Id] extends { requestBody?: infer B }
    ? [B] extends [undefined]
      ? unknown
      : { body?: Body<Id> }
    : unknown;

/** What `request` takes for a route of the API. */
export type Input<Id extends OperationId> = PathInput<Id> & QueryInput<Id> & BodyInput<Id> & RequestOptions;

/** What `request` takes for any other route. */
export interface UntypedInput extends RequestOptions {
  path?: Readonly<Record<string, string>> | undefined;
  query?: Readonly<Record<string, unknown>> | undefined;
  body?: unknown;
}

/** A response with all that came with it. */
export interface Result<D = unknown, M = unknown> {
  data: D;
  /** Of lists: where in the list `data` is. */
  meta: M;
  status: number;
  /** For `ifMatch`, where the resource has one. */
  etag: string | null;
  /** Names the request in the log of the cloud. */
  requestId: string | null;
  headers: Headers;
}

/** Codes of the API, and those of the client for responses that never came. */
export type ErrorCode =
  components['schemas']['Error']['error']['code'] | 'CONNECTION_FAILED' | 'TIMEOUT' | 'INVALID_RESPONSE';
