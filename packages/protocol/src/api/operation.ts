import { z } from 'zod';
import type { ErrorCode } from './errors.ts';

/** What an API key may do. Write includes Read, Admin includes Write. */
export const scope = z.enum(['Read', 'Write', 'Admin']);
export type Scope = z.infer<typeof scope>;

/** What a person may do: Viewer is the scope Read, Editor is Write, Admin is Admin. */
export const role = z.enum(['Viewer', 'Editor', 'Admin']);
export type Role = z.infer<typeof role>;

/**
 * Who may call: a key with at least this scope or a person with its role, a person whatever the role (and no key), a
 * paired device, or anybody.
 */
export type Access = Scope | 'Person' | 'Device' | 'Public';

/** Whether keys or signed-in people call it, rather than devices or strangers. */
export const isForCustomers = ({ access }: Pick<Operation, 'access'>): boolean =>
  access !== 'Device' && access !== 'Public';

/** When an operation ends, and what replaces it. */
export interface Deprecation {
  /** RFC 3339. Clients should no longer begin to use it from then on. */
  readonly since: string;
  /** RFC 3339, not before `since`: it may be removed from then on. */
  readonly sunset?: string;
  /** A page that explains it: a URL, or a path of the cloud. */
  readonly documentation: string;
  /** What to use, for the sentence "Use … instead". */
  readonly instead: string;
}

/**
 * One operation of the API: the only source of its validation, types, access rule and documentation.
 * Parameters in `path` are written as `{id}`.
 */
export interface Operation<
  P extends z.ZodType = z.ZodType,
  Q extends z.ZodType = z.ZodType,
  B extends z.ZodType = z.ZodType,
  D extends z.ZodType = z.ZodType,
> {
  readonly id: string;
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: `/v1/${string}`;
  readonly tag: string;
  readonly summary: string;
  readonly description?: string;
  /** Sets the headers of RFC 9745 and RFC 8594 in its responses, and marks it in the description. */
  readonly deprecated?: Deprecation;
  readonly access: Access;
  /** The response can set cookies, so a page of another origin must not be able to send the request. */
  readonly setsCookies?: true;
  readonly params: P;
  readonly query: Q;
  /** The JSON body, or the form fields when `form` is set; an empty object when there is none. */
  readonly body: B;
  readonly form?: true;
  /** The path of the resource that it changes, whose ETag `If-Match` names, when that is not its own path. */
  readonly changes?: `/v1/${string}`;
  /** The content type of a body that is read as it arrives, byte by byte; there is no JSON body then. */
  readonly bytes?: string;
  /** Headers of the request beyond those that others have as well, in lower case. */
  readonly requestHeaders?: z.ZodObject;
  /** Headers of a success beyond those that others have as well. */
  readonly responseHeaders?: readonly string[];
  /** Has a rate limit of its own, and does not count with other requests of the key. */
  readonly ownRateLimit?: true;
  /** `data` of the success envelope. */
  readonly data: D;
  /** HTTP status of a success; 204 has no body. */
  readonly status: 200 | 201 | 202 | 204;
  /**
   * Other success statuses: 200 for a dry run, 202 while there is no result yet (both with `data`), 304 (without a body).
   */
  readonly otherStatuses: readonly (200 | 202 | 304)[];
  /** When `data` is a part of a list, how it goes on: by numbered pages, by a cursor that continues after the part, or both. */
  readonly list: 'page' | 'cursor' | 'page or cursor' | null;
  /** True when the response can also be a stream of Server-Sent Events. */
  readonly streams?: true;
  /** Content type when the response is not the JSON envelope. */
  readonly produces?: string;
  /** Errors beyond those that every operation with this access has. */
  readonly errors: readonly ErrorCode[];
  readonly example: { readonly body?: unknown; readonly data: unknown };
}

const emptySchema = z.strictObject({});
type EmptySchema = typeof emptySchema;

type OperationDefinition<
  P extends z.ZodType,
  Q extends z.ZodType,
  B extends z.ZodType,
  D extends z.ZodType,
> = Pick<Operation<P, Q, B, D>, 'summary' | 'access' | 'data' | 'example'> &
  Partial<Omit<Operation<P, Q, B, D>, 'id' | 'method' | 'path' | 'tag'>>;

/**
 * A function that defines operations with a tag. It fills in the defaults: no parameters, no query, no body, status 200, not
 * a list.
 */
export function operationsOf(tag: string) {
  return <
    D extends z.ZodType,
    P extends z.ZodType = EmptySchema,
    Q extends z.ZodType = EmptySchema,
    B extends z.ZodType = EmptySchema,
  >(
    id: string,
    method: Operation['method'],
    path: Operation['path'],
    definition: OperationDefinition<P, Q, B, D>,
  ): Operation<P, Q, B, D> => ({
    ...checkDeprecation(id, definition),
    id,
    method,
    path,
    tag,
    // Without a schema the type parameter defaults to `EmptySchema`; the compiler cannot see that here.
    /* oxlint-disable typescript/no-unsafe-type-assertion */
    params: definition.params ?? (emptySchema as unknown as P),
    query: definition.query ?? (emptySchema as unknown as Q),
    body: definition.body ?? (emptySchema as unknown as B),
    /* oxlint-enable typescript/no-unsafe-type-assertion */
    status: definition.status ?? 200,
    otherStatuses: definition.otherStatuses ?? [],
    list: definition.list ?? null,
    errors: definition.errors ?? [],
  });
}

/** Throws for dates that contradict each other. */
function checkDeprecation<T extends { deprecated?: Deprecation | undefined }>(id: string, definition: T): T {
  const { since, sunset = since } = definition.deprecated ?? { since: '' };
  if (Date.parse(sunset) < Date.parse(since)) {
    throw new Error(`${id}: sunset is before since`);
  }
  return definition;
}

/** Errors that follow from an operation's access. */
function commonErrors(op: Operation): ErrorCode[] {
  const codes: ErrorCode[] = ['VALIDATION_ERROR', 'RATE_LIMITED', 'INTERNAL_ERROR', 'UNAVAILABLE'];
  if (op.access === 'Device') {
    codes.push('UNAUTHORIZED', 'DEVICE_UNPAIRED');
  } else if (op.access === 'Person') {
    codes.push('UNAUTHORIZED', 'SESSION_REQUIRED');
  } else if (op.access !== 'Public') {
    codes.push('UNAUTHORIZED', 'INSUFFICIENT_SCOPE', 'STORE_NOT_ALLOWED');
  }
  if (op.setsCookies || (op.method !== 'GET' && isForCustomers(op))) {
    codes.push('ORIGIN_NOT_ALLOWED');
  }
  if (op.method === 'POST') {
    codes.push('CONFLICT');
  }
  if (op.method !== 'GET') {
    codes.push('MALFORMED_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  }
  return codes;
}

export function listErrors(op: Operation): ErrorCode[] {
  return [...new Set([...op.errors, ...commonErrors(op)])];
}
