import { z } from 'zod';
import type { ErrorCode } from './errors.ts';

/** What a key may do. Write includes Read, Admin includes Write. */
export const scope = z.enum(['Read', 'Write', 'Admin']);
export type Scope = z.infer<typeof scope>;

/** Who may call: a key of at least this scope, a paired device, or anybody. */
export type Access = Scope | 'Device' | 'Public';

/**
 * One operation of the API: the only source of its validation, its types, its access rule and its
 * documentation. `path` has `{id}` for parameters.
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
  readonly access: Access;
  readonly params: P;
  readonly query: Q;
  /** The JSON body, or the fields of the form when `form` is set; an empty object when there is none. */
  readonly body: B;
  readonly form?: true;
  /** `data` of the success envelope. */
  readonly data: D;
  /** HTTP status of the success. */
  readonly status: 200 | 201 | 202;
  /** Other successes: 202 while there is nothing yet (with `data`), 304 (with nothing). */
  readonly otherStatuses: readonly (202 | 304)[];
  /** True when `data` is one page of a list and `meta` comes with it. */
  readonly list: boolean;
  /** Content type when the answer is not the JSON envelope. */
  readonly produces?: string;
  /** Refusals beyond those that every operation of its access has. */
  readonly errors: readonly ErrorCode[];
  readonly example: { readonly body?: unknown; readonly data: unknown };
}

const none = z.strictObject({});
type None = typeof none;

interface Given<P, Q, B, D> {
  id: string;
  method: Operation['method'];
  path: Operation['path'];
  tag: string;
  summary: string;
  description?: string;
  access: Access;
  params?: P;
  query?: Q;
  body?: B;
  form?: true;
  data: D;
  status?: Operation['status'];
  otherStatuses?: Operation['otherStatuses'];
  list?: boolean;
  produces?: string;
  errors?: readonly ErrorCode[];
  example: Operation['example'];
}

/** Completes a definition: no parameters, no query, no body, status 200, not a list. */
export function operation<
  D extends z.ZodType,
  P extends z.ZodType = None,
  Q extends z.ZodType = None,
  B extends z.ZodType = None,
>(given: Given<P, Q, B, D>): Operation<P, Q, B, D> {
  // Without a schema the type parameter is `None`, by its default; the compiler cannot see that here.
  /* oxlint-disable typescript/no-unsafe-type-assertion */
  return {
    ...given,
    params: given.params ?? (none as unknown as P),
    query: given.query ?? (none as unknown as Q),
    body: given.body ?? (none as unknown as B),
    status: given.status ?? 200,
    otherStatuses: given.otherStatuses ?? [],
    list: given.list ?? false,
    errors: given.errors ?? [],
  };
  /* oxlint-enable typescript/no-unsafe-type-assertion */
}

/** Refusals that an operation can answer with because of who may call it. */
export function commonErrors(op: Operation): ErrorCode[] {
  const codes: ErrorCode[] = ['VALIDATION_ERROR', 'RATE_LIMITED', 'INTERNAL_ERROR', 'UNAVAILABLE'];
  if (op.access === 'Device') codes.push('UNAUTHORIZED', 'DEVICE_UNPAIRED');
  else if (op.access !== 'Public') codes.push('UNAUTHORIZED', 'INSUFFICIENT_SCOPE');
  if (op.method === 'POST') codes.push('CONFLICT');
  if (op.method !== 'GET') codes.push('MALFORMED_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  return codes;
}

/** Every refusal of an operation, each once. */
export function errorsOf(op: Operation): ErrorCode[] {
  return [...new Set([...op.errors, ...commonErrors(op)])];
}
