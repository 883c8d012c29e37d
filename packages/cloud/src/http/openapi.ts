import { ERRORS, errorEnvelope, isForCustomers, listErrors, metaOf } from '@placard/protocol/api';
import type { Access, ErrorCode, Operation } from '@placard/protocol/api';
import { z } from 'zod';
import { DEVICE_REQUESTS_PER_MINUTE, REQUESTS_PER_MINUTE } from '../domain/scope.ts';
import { createOpenApiComponents } from './openapi-components.ts';
import type { Json, OpenApiComponents } from './openapi-components.ts';
import { openApiExtensions, WEBHOOK_SIGNATURE } from './openapi-extensions.ts';
import { header, HEADERS } from './openapi-headers.ts';
import { describeReadOnlyFields } from './openapi-read-only.ts';
import { TAG_DESCRIPTIONS } from './openapi-tags.ts';

/** `Read 100, Write 30, Admin 30`. */
const rateLimits = Object.entries(REQUESTS_PER_MINUTE)
  .map(([scope, limit]) => `${scope} ${limit}`)
  .join(', ');

/** The OpenAPI 3.1 description of the operations, generated from the validation schemas. */
export function buildOpenApi(operations: readonly Operation[], info: { version: string; url: string }): Json {
  const components = createOpenApiComponents();
  const paths: Record<string, Record<string, Json>> = {};
  for (const operation of describeReadOnlyFields(operations)) {
    (paths[operation.path] ??= {})[operation.method.toLowerCase()] = describe(operation, components);
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Placard Digital Signage API',
      version: info.version,
      license: { name: 'MIT', identifier: 'MIT' },
      contact: { name: 'The Placard developers', url: `${info.url}/docs` },
      description:
        'Every response has the shape `{ success, data, meta? }` or `{ success, error }`. Rate limits per key and ' +
        `minute: ${rateLimits}; per device ${DEVICE_REQUESTS_PER_MINUTE}. The \`RateLimit-*\` headers come with every response to an ` +
        'authenticated key or device, errors included. POST requests may carry an `Idempotency-Key`. All that GET returns of a resource ' +
        'can be sent back with PATCH: read-only fields have no effect, and `Placard-Ignored-Fields` names them.\n\n' +
        'A wrong method on an existing path is 405 `METHOD_NOT_ALLOWED`; the header `Allow` lists the methods. Request ' +
        'headers that take longer than 10 seconds are 400 `VALIDATION_ERROR`. A JSON ' +
        'body has 20 seconds, plus one for every 4 kB; then the connection is closed, as it is when the client reads ' +
        'nothing of a response for 60 seconds.',
    },
    servers: [{ url: info.url }],
    tags: [...new Set(operations.map((operation) => operation.tag))].map((name) => ({
      name,
      description: TAG_DESCRIPTIONS[name],
    })),
    paths,
    ...openApiExtensions(components.schemaOf),
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'An API key of scope Read, Write or Admin' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: 'placard.session_token',
          description:
            'A person who has signed in, in a browser at the address of the cloud; by https the name begins with `__Secure-`. ' +
            'A key in `Authorization` goes before it. Every request but GET needs the `Origin` of the cloud. 600 requests a minute',
        },
        deviceToken: { type: 'http', scheme: 'bearer', description: 'The token of a paired device' },
        webhookSignature: WEBHOOK_SIGNATURE,
      },
      headers: HEADERS,
      parameters: {
        IdempotencyKey: IDEMPOTENCY_KEY,
        IfMatch: IF_MATCH,
        IfNoneMatch: IF_NONE_MATCH,
        LastEventId: LAST_EVENT_ID,
      },
      ...components.toJson(),
    },
  };
}

/** Not components: one that nothing uses is a mistake. */
const DEPRECATION_HEADERS: Json = {
  Deprecation: header(
    'Since when the operation is deprecated: `@` and seconds since 1970 (RFC 9745)',
    'string',
  ),
  Sunset: header('When the operation may be removed (RFC 8594)', 'string'),
};

const headerRefs = (...names: string[]): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));

const IDEMPOTENCY_KEY: Json = {
  name: 'Idempotency-Key',
  in: 'header',
  required: false,
  schema: { type: 'string', maxLength: 255 },
  description:
    'The same key with the same body within 24 hours gets the first response; with another body it is 409. Of responses ' +
    'over 4 kB, 64 MB per day and API key are stored: a repeat beyond that is 409 `CONFLICT` with `details.reason` ' +
    '`answer_not_kept` and `details.status`, the status of the first response. The request was processed once.',
};

const RATE_LIMIT_HEADERS = ['RateLimit-Limit', 'RateLimit-Remaining', 'RateLimit-Reset'];

/** Values of `details.reason`, by error code. */
const REASON_DESCRIPTIONS: Partial<Record<ErrorCode, string>> = {
  IMPORT_FAILED:
    'It is `address_not_allowed`, `dns_failed`, `connection_failed`, `tls_failed`, `timeout` (10 seconds to connect, 30 ' +
    'without data, 15 minutes in total), `too_many_redirects` (more than 5), `bad_redirect`, or `http_status`, with ' +
    '`details.status`.',
};

const IF_NONE_MATCH: Json = {
  name: 'If-None-Match',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description: 'The `ETag` of an earlier response: 304 while nothing changed',
};

const IF_MATCH: Json = {
  name: 'If-Match',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description:
    'The `ETag` with which you read the resource, with its quotes: 412 if somebody has changed it since. What cannot be set ' +
    '(what a device reports, the number of screens of a store, a thumbnail) does not count. Several are separated by commas, `*` is any; a weak one (`W/"…"`) never matches, and anything ' +
    'else is 400.',
};

const LAST_EVENT_ID: Json = {
  name: 'Last-Event-ID',
  in: 'header',
  required: false,
  schema: { type: 'string' },
  description: 'For a stream: the last `id` that was received; goes before `cursor` and `since`',
};

function describe(operation: Operation, components: OpenApiComponents): Json {
  return {
    operationId: operation.id,
    tags: [operation.tag],
    summary: operation.summary,
    ...(operation.deprecated ? { deprecated: true } : {}),
    description: [operation.description, deprecationText(operation), ACCESS_TEXT[operation.access]]
      .filter(Boolean)
      .join('\n\n'),
    'x-scope': operation.access,
    security: SECURITY[operation.access] ?? [{ apiKey: [] }, { session: [] }],
    parameters: parametersOf(operation, components),
    ...requestBodyOf(operation, components),
    responses: { ...successResponseOf(operation, components), ...errorResponsesOf(operation, components) },
  };
}

function deprecationText({ deprecated }: Operation): string {
  if (!deprecated) {
    return '';
  }
  const { since, sunset, instead } = deprecated;
  const end = sunset === undefined ? '' : `; may be removed after ${sunset.slice(0, 10)}`;
  return `Deprecated since ${since.slice(0, 10)}${end}. Use ${instead} instead.`;
}

const SECURITY: Partial<Record<Access, Json[]>> = {
  Public: [],
  Device: [{ deviceToken: [] }],
  Person: [{ session: [] }],
};

const ACCESS_TEXT: Readonly<Record<Access, string>> = {
  Public: 'Needs no key.',
  Device: 'Needs the token of a paired device.',
  Person: 'Needs the session of a person, whatever their role.',
  Read: 'Needs a key of scope Read or more, or a person.',
  Write: 'Needs a key of scope Write or more, or a person with the role Editor or more.',
  Admin: 'Needs a key of scope Admin, or a person with the role Admin.',
};

function parametersIn(
  schema: z.ZodType,
  place: 'path' | 'query' | 'header',
  components: OpenApiComponents,
): Json[] {
  if (!(schema instanceof z.ZodObject)) {
    return [];
  }
  return Object.entries<z.ZodType>(schema.shape).map(([name, inner]) => ({
    name: place === 'header' ? toHeaderName(name) : name,
    in: place,
    required: !inner.safeParse(undefined).success,
    schema: components.schemaOf(inner, place === 'query' ? 'output' : 'input'),
  }));
}

function parametersOf(operation: Operation, components: OpenApiComponents): Json[] {
  return [
    ...parametersIn(operation.params, 'path', components),
    ...parametersIn(operation.query, 'query', components),
    ...(operation.requestHeaders ? parametersIn(operation.requestHeaders, 'header', components) : []),
    ...(takesIdempotencyKey(operation) ? [{ $ref: '#/components/parameters/IdempotencyKey' }] : []),
    ...(hasEtag(operation) ? [{ $ref: '#/components/parameters/IfNoneMatch' }] : []),
    ...(isConditional(operation) ? [{ $ref: '#/components/parameters/IfMatch' }] : []),
    ...(operation.streams ? [{ $ref: '#/components/parameters/LastEventId' }] : []),
  ];
}

/** `upload-length` becomes `Upload-Length`. */
const toHeaderName = (name: string): string =>
  name.replaceAll(/(?:^|-)[a-z]/g, (letter) => letter.toUpperCase());

const hasEtag = ({ otherStatuses }: Operation): boolean => otherStatuses.includes(304);
const isConditional = ({ errors }: Operation): boolean => errors.includes('PRECONDITION_FAILED');

const takesIdempotencyKey = ({ method, access }: Operation): boolean =>
  method === 'POST' && isForCustomers({ access });

function requestBodyOf(operation: Operation, components: OpenApiComponents): Json {
  if (operation.bytes !== undefined) {
    const schema = { type: 'string', format: 'binary' };
    return { requestBody: { required: true, content: { [operation.bytes]: { schema } } } };
  }
  if (isEmpty(operation.body)) {
    return {};
  }
  const schema = components.schemaOf(operation.body, 'input');
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

const EXAMPLE_META = {
  page: { page: 1, limit: 20, total: 1 },
  'page or cursor': { page: 1, limit: 20, total: 1 },
  cursor: { limit: 20, next_cursor: 'evt_01kzgm8q2c7d0vqk3m4a5b6c7d', has_more: false },
};
const EVENT_STREAM: Json = {
  schema: { type: 'string', description: 'Server-Sent Events' },
  example:
    ': evt_01kzgm8q2c7d0vqk3m4a5b6c7c\nid: evt_01kzgm8q2c7d0vqk3m4a5b6c7c\nretry: 2000\n\n' +
    'id: evt_01kzgm8q2c7d0vqk3m4a5b6c7d\nevent: device.offline\ndata: {"id":"evt_01kz…","type":"device.offline",…}\n\n',
};

const OTHER_STATUSES = { 200: 'What a dry run would do', 202: 'Not yet', 304: 'Not changed' };

function successResponseOf(operation: Operation, components: OpenApiComponents): Json {
  const example = {
    success: true,
    data: operation.example.data,
    ...(operation.list ? { meta: EXAMPLE_META[operation.list] } : {}),
  };
  const envelope = z.object({
    success: z.literal(true),
    data: operation.data,
    ...(operation.list ? { meta: metaOf(operation) } : {}),
  });
  const content = operation.produces
    ? { [operation.produces]: { schema: { type: 'string' }, example: operation.example.data } }
    : {
        'application/json': { schema: components.schemaOf(envelope, 'output'), example },
        ...(operation.streams ? { 'text/event-stream': EVENT_STREAM } : {}),
      };
  const commonHeaders = [
    'X-Request-Id',
    ...(operation.access === 'Public' ? [] : RATE_LIMIT_HEADERS),
    ...(hasEtag(operation) || (isConditional(operation) && operation.method !== 'DELETE') ? ['ETag'] : []),
    ...(operation.list ? ['Link'] : []),
    ...(operation.responseHeaders ?? []),
  ];
  const others = operation.otherStatuses.map((status) => [
    status,
    {
      description: OTHER_STATUSES[status],
      ...(status === 304 ? {} : { content }),
      headers: headerRefs(...commonHeaders),
    },
  ]);
  const headers = {
    ...headerRefs(
      ...commonHeaders,
      ...(takesIdempotencyKey(operation) ? ['Idempotency-Replayed'] : []),
      ...(operation.produces ? ['Content-Disposition'] : []),
    ),
    ...(operation.deprecated ? DEPRECATION_HEADERS : {}),
  };
  const success = { description: 'Success', headers, ...(operation.status === 204 ? {} : { content }) };
  return { [operation.status]: success, ...Object.fromEntries(others) };
}

const isEmpty = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodObject && Object.keys(schema.shape).length === 0;

const ERROR_HEADERS: Record<number, string[]> = {
  401: ['WWW-Authenticate'],
  429: ['Retry-After'],
  503: ['Retry-After'],
};

function errorResponsesOf(operation: Operation, components: OpenApiComponents): Json {
  const responses: Record<string, Json> = {};
  const codes = listErrors(operation).toSorted();
  for (const status of new Set(codes.map((code) => ERRORS[code].status))) {
    const same = codes.filter((code) => ERRORS[code].status === status);
    responses[status] = components.responseOf(same.map(toPascalCase).join('Or'), {
      description: same
        .map((code) =>
          [`\`${code}\`: ${ERRORS[code].summary}`, REASON_DESCRIPTIONS[code]].filter(Boolean).join(' '),
        )
        .join('\n\n'),
      headers: headerRefs(
        'X-Request-Id',
        ...(ERROR_HEADERS[status] ?? []),
        ...(status === 401 ? [] : RATE_LIMIT_HEADERS),
      ),
      content: {
        'application/json': {
          schema: components.schemaOf(errorEnvelope, 'output'),
          examples: Object.fromEntries(same.map((code) => [code, exampleOf(code)])),
        },
      },
    });
  }
  return responses;
}

/** `PLAYLIST_NOT_FOUND` becomes `PlaylistNotFound`. */
const toPascalCase = (code: ErrorCode): string =>
  code.toLowerCase().replaceAll(/(?:^|_)(.)/g, (_match, letter: string) => letter.toUpperCase());

const exampleOf = (code: ErrorCode): Json => ({
  value: { success: false, error: { code, message: ERRORS[code].summary } },
});
