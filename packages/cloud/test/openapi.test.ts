import { PROTOCOL_VERSION, SOCKET_CLOSE } from '@placard/protocol';
import { eventType, listErrors, operations, webhookEvent } from '@placard/protocol/api';
import type { Operation } from '@placard/protocol/api';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { z } from 'zod';
import { resolveReferences } from './support/json-references.ts';
import { startTestCloud } from './support/test-cloud.ts';
import type { TestCloud } from './support/test-cloud.ts';

const ALL: readonly Operation[] = Object.values(operations);

interface Described {
  operationId: string;
  'x-scope': string;
  summary: string;
  security: unknown[];
  parameters: { name: string; in: string; required: boolean; schema: object }[];
  requestBody?: { content: Record<string, { schema: object; example?: unknown }> };
  responses: Record<
    string,
    { headers?: object; content?: Record<string, { schema: object; example?: unknown; examples?: object }> }
  >;
}

let cloud: TestCloud;
interface Messages {
  oneOf: { properties: { type: { const: string } } }[];
}
let document: {
  components: { schemas: Record<string, object> };
  paths: object;
};
/** The document with its references replaced. */
let description: {
  openapi: string;
  paths: Record<string, Record<string, Described>>;
  info: object;
  components: { securitySchemes: object };
  webhooks: Record<string, { post: Pick<Described, 'security' | 'parameters'> }>;
  'x-content-host': object;
  'x-websocket': {
    '/v1/player/socket': { fromServer: Messages; fromDevice: Messages; closeCodes: Record<string, string> };
  };
};
beforeAll(async () => {
  cloud = await startTestCloud();
  document = JSON.parse(await (await cloud.clientFor(null).raw('/openapi.json')).text());
  description = resolveReferences(document, document);
});
afterAll(() => cloud.close());

const found = () =>
  Object.entries(description.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, described]) => ({ path, method: method.toUpperCase(), described })),
  );

const types = (schema: Messages) => schema.oneOf.map(({ properties }) => properties.type.const);
const fits = (schema: z.ZodType, value: unknown) => z.safeParse(schema, value).error?.issues;

test('the description contains exactly the operations of the protocol', () => {
  expect(description.openapi).toBe('3.1.0');
  expect(
    found()
      .map(({ method, path }) => `${method} ${path}`)
      .toSorted(),
  ).toEqual(ALL.map(({ method, path }) => `${method} ${path}`).toSorted());
});

test('each resource is written once, as a component', () => {
  expect(Object.keys(document.components.schemas)).toEqual(
    expect.arrayContaining([
      'ApiKey',
      'Asset',
      'AuditEntry',
      'Command',
      'Delivery',
      'DeploymentDetail',
      'Device',
      'DeviceDetail',
      'Error',
      'Folder',
      'NewDeployment',
      'Organization',
      'Playlist',
      'Schedule',
      'Store',
      'Webhook',
    ]),
  );
  // A resource that is written out again in an operation would have the fields of its component.
  expect(JSON.stringify(document.paths)).not.toContain('"created_at":{');
  expect(JSON.stringify(document).length).toBeLessThan(660_000);
});

test('the description names licence and contact, and what signs a webhook', () => {
  expect(description.info).toMatchObject({
    license: { identifier: 'MIT' },
    contact: { name: 'The Placard developers' },
  });
  expect(description.components.securitySchemes).toMatchObject({
    webhookSignature: { in: 'header', name: 'webhook-signature' },
  });
  for (const { post } of Object.values(description.webhooks)) {
    expect(post.security).toEqual([{ webhookSignature: [] }]);
    expect(post.parameters.map(({ name }) => name)).toEqual(['webhook-id', 'webhook-timestamp']);
  }
});

test('the description has the headers that the responses have', async () => {
  const response = await cloud.admin.raw('/v1/devices');
  const described = description.paths['/v1/devices']?.['get']?.responses['200']?.headers ?? {};
  expect([...response.headers.keys()]).toEqual(
    expect.arrayContaining(Object.keys(described).map((name) => name.toLowerCase())),
  );
});

test('the description covers the socket, the content host and every webhook, from the same schemas', () => {
  const socket = description['x-websocket']['/v1/player/socket'];
  expect(socket).toMatchObject({ protocol: PROTOCOL_VERSION, security: [{ deviceToken: [] }] });
  expect(types(socket.fromServer)).toEqual([
    'welcome',
    'manifest_changed',
    'command',
    'unpaired',
    'live_request',
    'heartbeat_ack',
    'heartbeat_refused',
  ]);
  expect(types(socket.fromDevice)).toEqual(['hello', 'heartbeat']);
  const codes = [...Object.values(SOCKET_CLOSE), 1008, 1009, 1011].map(String);
  expect(new Set(Object.keys(socket.closeCodes))).toEqual(new Set(codes));
  expect(Object.keys(description['x-content-host'])).toEqual(['/cdn/{sha256}.{ending}']);
  expect(Object.keys(description.webhooks)).toEqual(webhookEvent.options);
});

test('each type of event is a component, and an event is one of them or of a type that is not known', () => {
  const { schemas } = document.components;
  const { anyOf } = z.object({ anyOf: z.array(z.object({ $ref: z.string() })) }).parse(schemas['Event']);
  const named = anyOf.map(({ $ref }) => schemas[$ref.split('/').at(-1) ?? '']);
  expect(named).toMatchObject([
    ...eventType.options.map((type) => ({
      description: expect.any(String),
      properties: {
        type: { const: type },
        resource: { description: expect.stringMatching(/^Id of the [a-z ]+$/) },
        data: { type: 'object' },
      },
    })),
    { properties: { type: { type: 'string', not: { enum: eventType.options } } } },
  ]);
});

test.each(ALL.map((operation) => [operation.id, operation] as const))(
  '%s has a schema, a scope, examples that fit, and its errors',
  (id, operation) => {
    const described = description.paths[operation.path]?.[operation.method.toLowerCase()];
    expect(described?.operationId).toBe(id);
    expect(described?.['x-scope']).toBe(operation.access);
    expect(described?.summary).toBeTruthy();
    const names = operation.path.match(/(?<=\{)\w+(?=\})/g) ?? [];
    expect(described?.parameters.filter((each) => each.in === 'path').map((each) => each.name)).toEqual(
      names,
    );

    expect(operation.produces ? undefined : fits(operation.data, operation.example.data)).toBeUndefined();
    const takesBody = !(
      operation.body instanceof z.ZodObject && Object.keys(operation.body.shape).length === 0
    );
    expect(described?.requestBody !== undefined, 'describes its body').toBe(
      takesBody || operation.bytes !== undefined,
    );
    expect(operation.example.body !== undefined, 'has an example body').toBe(takesBody);
    const readable = takesBody && !operation.form;
    expect(readable ? fits(operation.body, operation.example.body) : undefined).toBeUndefined();
    const describedErrors = Object.values(described?.responses ?? {}).flatMap((response) =>
      Object.keys(response.content?.['application/json']?.examples ?? {}),
    );
    expect(describedErrors.toSorted()).toEqual(listErrors(operation).toSorted());
    for (const [status, { headers = {} }] of Object.entries(described?.responses ?? {})) {
      expect('Retry-After' in headers, `${status} has Retry-After`).toBe(['429', '503'].includes(status));
    }
    for (const [status, { headers = {} }] of Object.entries(described?.responses ?? {})) {
      expect('X-Request-Id' in headers, `${status} has X-Request-Id`).toBe(true);
      expect('WWW-Authenticate' in headers).toBe(status === '401');
    }
    const takesKey = described?.parameters.some(({ name }) => name === 'Idempotency-Key');
    const replied = described?.responses[operation.status]?.headers ?? {};
    expect('Idempotency-Replayed' in replied).toBe(takesKey);
    expect('RateLimit-Limit' in replied).toBe(operation.access !== 'Public');
    const success = described?.responses[operation.status]?.content;
    const [content] = Object.values(success ?? {});
    expect(typeof content?.schema).toBe(operation.status === 204 ? 'undefined' : 'object');
    expect(content?.example === undefined).toBe(operation.status === 204);
  },
);
