import { isDeepStrictEqual } from 'node:util';
import { z } from 'zod';

export type Json = Record<string, unknown>;

const SCHEMAS = '#/components/schemas/';

/** The parts of the OpenAPI description that are written once, under a name, and referenced. */
export interface OpenApiComponents {
  /**
   * `io`: the schema before or after parsing. Of queries the parsed side is documented: numbers, not strings. Schemas with
   * an `id` in their metadata become components.
   */
  schemaOf: (schema: z.ZodType, io: 'input' | 'output') => Json;
  /** A reference to the response of this name, which is `response`. */
  responseOf: (name: string, response: Json) => Json;
  /** What was named so far. */
  toJson: () => { schemas: Json; responses: Json };
}

export function createOpenApiComponents(): OpenApiComponents {
  const schemas: Record<string, Json> = {};
  const responses: Record<string, Json> = {};
  return {
    schemaOf(schema, io) {
      const { $schema: _dialect, $defs: named = {}, ...rest } = toJsonSchema(schema, io);
      for (const [name, value] of Object.entries(named)) {
        addNamed(schemas, name, value);
      }
      return rest;
    },
    responseOf(name, response) {
      addNamed(responses, name, response);
      return { $ref: `#/components/responses/${name}` };
    },
    toJson: () => ({ schemas: sortByName(schemas), responses: sortByName(responses) }),
  };
}

function toJsonSchema(schema: z.ZodType, io: 'input' | 'output'): Json & { $defs?: Record<string, Json> } {
  const generated = z.toJSONSchema(schema, {
    target: 'draft-2020-12',
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      if (zodSchema instanceof z.ZodFile) {
        Object.assign(jsonSchema, { type: 'string', format: 'binary' });
      }
      if (zodSchema instanceof z.ZodCatch && io === 'input') {
        acceptAnything(jsonSchema);
      }
    },
  });
  return JSON.parse(JSON.stringify(generated).replaceAll('"$ref":"#/$defs/', `"$ref":"${SCHEMAS}`));
}

/** A value that is not known, as a newer player may send it, is taken for the default: described with those that are known. */
function acceptAnything(schema: Json): void {
  const { default: replacement, ...known } = schema;
  for (const keyword of Object.keys(known)) {
    delete schema[keyword];
  }
  schema.anyOf = [known, { description: `Anything else is taken for ${JSON.stringify(replacement)}` }];
}

/** Two schemas of one name would make the description wrong for one of them, for example before and after parsing. */
function addNamed(named: Record<string, Json>, name: string, value: Json): void {
  if (name in named && !isDeepStrictEqual(named[name], value)) {
    throw new Error(`two different components of the API description are named ${name}; rename one of them`);
  }
  named[name] = value;
}

const sortByName = (named: Record<string, Json>): Json =>
  Object.fromEntries(Object.entries(named).toSorted(([a], [b]) => (a < b ? -1 : 1)));
