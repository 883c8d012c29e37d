import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

type Json = Record<string, unknown>;

/** An example in an OpenAPI document. */
export interface CheckedExample {
  /** JSON pointer of the example. */
  at: string;
  /** What of it does not fit its schema; null when it fits. */
  problem: string | null;
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Compares every example of the document with the schema beside it. */
export function checkExamples(document: Json): CheckedExample[] {
  // Not strict: a description has more keywords than a schema.
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema(document, 'openapi', undefined, false);
  return findExamples(document, '').map(({ at, schemaAt, value }) => {
    const validate = ajv.compile({ $ref: `openapi#${encodeURI(schemaAt)}` });
    return { at, problem: validate(value) ? null : ajv.errorsText(validate.errors) };
  });
}

interface Example {
  at: string;
  schemaAt: string;
  value: unknown;
}

/** Contents, parameters and headers have their schema in `schema`; a schema has its own example. */
function findExamples(value: unknown, at: string): Example[] {
  if (Array.isArray(value)) {
    return value.flatMap((one, index) => findExamples(one, `${at}/${index}`));
  }
  if (!isObject(value)) {
    return [];
  }
  const schemaAt = 'schema' in value ? `${at}/schema` : at;
  const found: Example[] = [];
  if ('example' in value) {
    found.push({ at: `${at}/example`, schemaAt, value: value['example'] });
  }
  for (const [name, one] of Object.entries(value['examples'] ?? {})) {
    const isNamed = !Array.isArray(value['examples']);
    found.push({
      at: `${at}/examples/${escape(name)}`,
      schemaAt,
      value: isNamed && isObject(one) ? one['value'] : one,
    });
  }
  const others = Object.entries(value).filter(([name]) => name !== 'example' && name !== 'examples');
  return [...found, ...others.flatMap(([name, one]) => findExamples(one, `${at}/${escape(name)}`))];
}

const escape = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');
