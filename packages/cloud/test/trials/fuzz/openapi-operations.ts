import { z } from 'zod';
import type { HttpClient } from '../support/http-client.ts';
import { isObject, asObject } from '../support/json.ts';
import type { JsonObject } from '../support/json.ts';
import { resolveReferences } from '../../support/json-references.ts';

/** A JSON Schema, as far as the fuzzer reads it. */
export type Schema = JsonObject;

/** One operation, known only from `/openapi.json`. */
export interface FuzzOperation {
  id: string;
  method: string;
  /** Path template, with parameters such as `{id}`. */
  path: string;
  query: { name: string; schema: Schema }[];
  /** One entry per content type. */
  bodies: { contentType: string; schema: Schema; example: unknown }[];
  /** By status code. */
  responses: Map<number, { schema: Schema | null }>;
  /** Needs no key. */
  isPublic: boolean;
  /** Needs the token of a device. */
  needsDeviceToken: boolean;
}

const media = z.record(
  z.string(),
  z.looseObject({
    schema: z.unknown().optional(),
    example: z.unknown().optional(),
    examples: z.unknown().optional(),
  }),
);
const document = z.looseObject({
  openapi: z.string().startsWith('3.1'),
  paths: z.record(z.string(), z.record(z.string(), z.unknown())),
  security: z.array(z.record(z.string(), z.unknown())).optional(),
});
const operation = z.looseObject({
  operationId: z.string(),
  parameters: z
    .array(z.looseObject({ name: z.string(), in: z.string(), schema: z.unknown().optional() }))
    .optional(),
  requestBody: z.looseObject({ content: media }).optional(),
  responses: z.record(z.string(), z.looseObject({ content: media.optional() })),
  security: z.array(z.record(z.string(), z.unknown())).optional(),
});

/** Reads all operations from the OpenAPI description of a running cloud. */
export async function readOperations(client: HttpClient): Promise<FuzzOperation[]> {
  const { bytes } = await client.sendRaw({ method: 'GET', path: '/openapi.json' });
  const root = document.parse(JSON.parse(bytes.toString('utf8')));
  const resolve = (value: unknown) => resolveReferences(value, root);
  const found: FuzzOperation[] = [];
  for (const [path, methods] of Object.entries(root.paths)) {
    for (const [method, raw] of Object.entries(methods)) {
      if (!['get', 'post', 'patch', 'put', 'delete'].includes(method)) {
        continue;
      }
      const one = operation.parse(resolve(raw));
      const security = one.security ?? root.security ?? [];
      found.push({
        id: one.operationId,
        method: method.toUpperCase(),
        path,
        query: (one.parameters ?? [])
          .filter((parameter) => parameter.in === 'query')
          .map(({ name, schema }) => ({ name, schema: asObject(schema) })),
        bodies: Object.entries(one.requestBody?.content ?? {}).map(([contentType, body]) => ({
          contentType,
          schema: asObject(body.schema),
          example: body.example ?? exampleIn(body.examples) ?? exampleIn(asObject(body.schema)['examples']),
        })),
        responses: new Map(
          Object.entries(one.responses).map(([status, response]) => [
            Number(status),
            { schema: schemaIn(response.content) },
          ]),
        ),
        isPublic: security.length === 0 || security.some((need) => Object.keys(need).length === 0),
        needsDeviceToken: path.startsWith('/v1/player/') && !path.startsWith('/v1/player/pairing'),
      });
    }
  }
  return found;
}

const schemaIn = (content: z.infer<typeof media> | undefined): Schema | null => {
  const schema = content?.['application/json']?.schema;
  return isObject(schema) ? schema : null;
};

/** The first of OpenAPI's `examples`, which is a list of values or a map of named examples. */
function exampleIn(examples: unknown): unknown {
  if (Array.isArray(examples)) {
    return examples[0];
  }
  const first = Object.values(asObject(examples))[0];
  return isObject(first) && 'value' in first ? first['value'] : first;
}
