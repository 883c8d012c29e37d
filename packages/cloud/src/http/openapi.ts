import { ERRORS, errorEnvelope, errorsOf, meta } from '@placard/protocol/api';
import type { ErrorCode, Operation } from '@placard/protocol/api';
import { z } from 'zod';
import { beyondOperations } from './openapi-beyond.ts';

type Json = Record<string, unknown>;

// What a request may look like is the output side: queries are text that is read into numbers.
const schemaOf = (schema: z.ZodType, io: 'input' | 'output'): Json => {
  const { $schema: _dialect, ...rest } = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema instanceof z.ZodFile) Object.assign(jsonSchema, { type: 'string', format: 'binary' });
    },
  });
  return rest;
};

/** The OpenAPI 3.1 description of the operations, made from the schemas that validate. */
export function openApiOf(operations: readonly Operation[], about: { version: string; url: string }): Json {
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of operations)
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = describe(operation);
  return {
    openapi: '3.1.0',
    info: {
      title: 'Placard Digital Signage API',
      version: about.version,
      description:
        'Every answer has the shape `{ success, data, meta? }` or `{ success, error }`. Rate limits per key and ' +
        'minute: Read 100, Write 30, Admin 30; of a device 120. The `RateLimit-*` headers come with every answer to a ' +
        'known key or device, refusals too. POST requests may carry an `Idempotency-Key`.\n\n' +
        'A path that exists for other methods is 405 `METHOD_NOT_ALLOWED`; the header `Allow` names them. The head of a ' +
        'request that takes longer than 10 seconds is 400 `VALIDATION_ERROR`: it “did not come in time”. A JSON ' +
        'body has 20 seconds, and one more for every 4 kB of it; then its connection is cut, as is that of an answer of ' +
        'which nothing is taken for 60 seconds.',
    },
    servers: [{ url: about.url }],
    tags: [...new Set(operations.map((operation) => operation.tag))].map((name) => ({ name })),
    paths,
    ...beyondOperations(schemaOf),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of scope Read, Write or Admin' },
        deviceToken: { type: 'http', scheme: 'bearer', description: 'The token of a paired device' },
      },
      schemas: { Error: schemaOf(errorEnvelope, 'output') },
    },
  };
}

const integer = (description: string): Json => ({ description, schema: { type: 'integer' } });
const RETRY_AFTER: Json = { 'Retry-After': integer('Seconds until it makes sense to ask again') };
const RETRIED: readonly number[] = [429, 503];
const RATE_LIMIT: Json = {
  'RateLimit-Limit': integer('Requests of this key or device in a minute'),
  'RateLimit-Remaining': integer('What is left of them'),
  'RateLimit-Reset': integer('Seconds until at least one more is allowed than now'),
};
const REPLAYED: Json = {
  'Idempotency-Replayed': {
    description: 'Only on a first answer that is given again',
    schema: { type: 'string', const: 'true' },
  },
};
/** What `details.reason` of a refusal may be. */
const REASONS: Partial<Record<ErrorCode, string>> = {
  IMPORT_FAILED:
    'It is `address_not_allowed`, `dns_failed`, `connection_failed`, `tls_failed`, `timeout` (10 seconds to connect, 30 ' +
    'of silence, 15 minutes in all), `too_many_redirects` (more than 5), `bad_redirect`, or `http_status`, with ' +
    '`details.status`.',
};

function describe(operation: Operation): Json {
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    description: [operation.description, accessText(operation)].filter(Boolean).join('\n\n'),
    'x-scope': operation.access,
    security: securityOf(operation),
    parameters: parametersOf(operation),
    ...bodyOf(operation),
    responses: { ...successOf(operation), ...refusalsOf(operation) },
  };
}

const accessText = ({ access }: Operation): string =>
  access === 'Public'
    ? 'Needs no key.'
    : access === 'Device'
      ? 'Needs the token of a paired device.'
      : `Needs a key of scope ${access}${access === 'Admin' ? '' : ' or more'}.`;

function securityOf({ access }: Operation): Json[] {
  if (access === 'Public') return [];
  return [access === 'Device' ? { deviceToken: [] } : { apiKey: [] }];
}

function listOf(schema: z.ZodType, place: 'path' | 'query'): Json[] {
  if (!(schema instanceof z.ZodObject)) return [];
  return Object.entries<z.ZodType>(schema.shape).map(([name, inner]) => ({
    name,
    in: place,
    required: !inner.safeParse(undefined).success,
    schema: schemaOf(inner, place === 'path' ? 'input' : 'output'),
  }));
}

function parametersOf(operation: Operation): Json[] {
  const idempotency: Json = {
    name: 'Idempotency-Key',
    in: 'header',
    required: false,
    schema: { type: 'string', maxLength: 255 },
    description:
      'The same key with the same body within 24 hours gets the first answer; with another body it is 409. Of answers ' +
      'over 4 kB, 64 MB a day are kept for an API key: a repeat beyond that is 409 `CONFLICT` with `details.reason` ' +
      '`answer_not_kept` and `details.status`, the status of the first answer. The request was carried out once.',
  };
  return [
    ...listOf(operation.params, 'path'),
    ...listOf(operation.query, 'query'),
    ...(takesIdempotencyKey(operation) ? [idempotency] : []),
  ];
}

const takesIdempotencyKey = ({ method, access }: Operation): boolean =>
  method === 'POST' && access !== 'Device' && access !== 'Public';

function bodyOf(operation: Operation): Json {
  if (isEmpty(operation.body)) return {};
  const schema = schemaOf(operation.body, 'input');
  return {
    requestBody: {
      required: true,
      content: {
        [operation.form ? 'multipart/form-data' : 'application/json']: {
          schema,
          ...(operation.example.body === undefined ? {} : { example: operation.example.body }),
        },
      },
    },
  };
}

function successOf(operation: Operation): Json {
  const example = {
    success: true,
    data: operation.example.data,
    ...(operation.list ? { meta: { page: 1, limit: 20, total: 1 } } : {}),
  };
  const envelope = z.object({
    success: z.literal(true),
    data: operation.data,
    ...(operation.list ? { meta } : {}),
  });
  const content = operation.produces
    ? { [operation.produces]: { schema: { type: 'string' }, example: operation.example.data } }
    : { 'application/json': { schema: schemaOf(envelope, 'output'), example } };
  const others = operation.otherStatuses.map((status) => [
    status,
    status === 304 ? { description: 'Not changed' } : { description: 'Not yet', content },
  ]);
  const headers = {
    ...(operation.access === 'Public' ? {} : RATE_LIMIT),
    ...(takesIdempotencyKey(operation) ? REPLAYED : {}),
  };
  return { [operation.status]: { description: 'Success', headers, content }, ...Object.fromEntries(others) };
}

const isEmpty = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodObject && Object.keys(schema.shape).length === 0;

function refusalsOf(operation: Operation): Json {
  const responses: Record<string, Json> = {};
  const codes = errorsOf(operation);
  for (const status of new Set(codes.map((code) => ERRORS[code].status))) {
    const same = codes.filter((code) => ERRORS[code].status === status);
    responses[status] = {
      description: same
        .map((code) => [`\`${code}\`: ${ERRORS[code].summary}`, REASONS[code]].filter(Boolean).join(' '))
        .join('\n\n'),
      ...(RETRIED.includes(status) ? { headers: RETRY_AFTER } : {}),
      content: {
        'application/json': {
          schema: { $ref: '#/components/schemas/Error' },
          examples: Object.fromEntries(same.map((code) => [code, exampleOf(code)])),
        },
      },
    };
  }
  return responses;
}

const exampleOf = (code: ErrorCode): Json => ({
  value: { success: false, error: { code, message: ERRORS[code].summary } },
});
