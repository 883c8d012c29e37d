import { z } from 'zod';
import type { Client } from '../support/client.ts';
import { isObject, objectOf } from '../support/json.ts';
import type { JsonObject } from '../support/json.ts';

/** A JSON Schema, as far as the fuzzer looks into it. */
export type Schema = JsonObject;

/** One operation as `/openapi.json` tells it; nothing else is known about it. */
export interface FuzzOperation {
  id: string;
  method: string;
  /** With `{id}` for parameters. */
  path: string;
  query: { name: string; schema: Schema }[];
  /** Schema and example by content type. */
  bodies: { contentType: string; schema: Schema; example: unknown }[];
  /** By status. */
  responses: Map<number, { schema: Schema | null }>;
  /** Needs no key. */
  open: boolean;
  /** Needs the token of a device. */
  device: boolean;
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

/** Reads every operation of a running cloud from its own description. */
export async function readOperations(client: Client): Promise<FuzzOperation[]> {
  const { bytes } = await client.raw({ method: 'GET', path: '/openapi.json' });
  const root = document.parse(JSON.parse(bytes.toString('utf8')));
  const open = (value: unknown) => inlined(value, root, 0);
  const found: FuzzOperation[] = [];
  for (const [path, methods] of Object.entries(root.paths)) {
    for (const [method, raw] of Object.entries(methods)) {
      if (!['get', 'post', 'patch', 'put', 'delete'].includes(method)) continue;
      const one = operation.parse(open(raw));
      const security = one.security ?? root.security ?? [];
      found.push({
        id: one.operationId,
        method: method.toUpperCase(),
        path,
        query: (one.parameters ?? [])
          .filter((parameter) => parameter.in === 'query')
          .map(({ name, schema }) => ({ name, schema: objectOf(schema) })),
        bodies: Object.entries(one.requestBody?.content ?? {}).map(([contentType, body]) => ({
          contentType,
          schema: objectOf(body.schema),
          example: body.example ?? exampleIn(body.examples) ?? exampleIn(objectOf(body.schema)['examples']),
        })),
        responses: new Map(
          Object.entries(one.responses).map(([status, response]) => [
            Number(status),
            { schema: schemaIn(response.content) },
          ]),
        ),
        open: security.length === 0 || security.some((need) => Object.keys(need).length === 0),
        device: path.startsWith('/v1/player/') && !path.startsWith('/v1/player/pairing'),
      });
    }
  }
  return found;
}

const schemaIn = (content: z.infer<typeof media> | undefined): Schema | null => {
  const schema = content?.['application/json']?.schema;
  return isObject(schema) ? schema : null;
};

/** The first of OpenAPI's `examples`: a list of values, or values under names. */
function exampleIn(examples: unknown): unknown {
  if (Array.isArray(examples)) return examples[0];
  const first = Object.values(objectOf(examples))[0];
  return isObject(first) && 'value' in first ? first['value'] : first;
}

/** A value with every `$ref` replaced by what it names. */
function inlined(value: unknown, root: unknown, depth: number): unknown {
  if (depth > 60) return {};
  if (Array.isArray(value)) return value.map((one) => inlined(one, root, depth + 1));
  if (typeof value !== 'object' || value === null) return value;
  if ('$ref' in value && typeof value.$ref === 'string')
    return inlined(
      value.$ref
        .slice(2)
        .split('/')
        .reduce<unknown>((at, part) => objectOf(at)[part.replaceAll('~1', '/')], root),
      root,
      depth + 1,
    );
  return Object.fromEntries(
    Object.entries(value).map(([name, one]) => [name, inlined(one, root, depth + 1)]),
  );
}
