import openapiTypescript, { astToString } from 'openapi-typescript';
import type { OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import type { OpenApiDocument } from './openapi-document.ts';

/** What the types do not need: examples, and what all operations have in common. */
const LEFT_OUT = new Set(['example', 'examples', 'headers', 'security', 'securitySchemes']);
/** Interfaces of openapi-typescript that the client does not use; they repeat `operations`. */
const UNUSED = new Set(['paths', 'webhooks', '$defs']);

const IMPORTS = `import type { UnknownType } from './unknown-type.ts';\n\n`;

/** The types of all requests, responses and webhooks. */
export async function generateSchema(document: OpenApiDocument): Promise<string> {
  // The document is valid OpenAPI 3.1; the cloud's tests lint it.
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion
  const reduced = reduce(document) as OpenAPI3;
  const nodes = await openapiTypescript(reduced, {
    defaultNonNullable: false,
    transform: (schema) => {
      const name = schema.format === 'binary' ? 'Blob' : 'not' in schema ? 'UnknownType' : undefined;
      return name && ts.factory.createTypeReferenceNode(name);
    },
  });
  return IMPORTS + astToString(nodes.filter((node) => !UNUSED.has(nameOf(node))));
}

const nameOf = (node: ts.Node): string =>
  ts.isInterfaceDeclaration(node) || ts.isTypeAliasDeclaration(node) ? node.name.text : '';

function reduce(value: unknown, place = ''): unknown {
  if (Array.isArray(value)) {
    return value.filter((each) => !isHeaderParameter(each)).map((each) => reduce(each));
  }
  if (typeof value !== 'object' || value === null) {
    return value;
  }
  const kept = Object.entries(value).filter(
    ([name]) =>
      place === 'properties' ||
      !(LEFT_OUT.has(name) || name.startsWith('x-') || (place === 'responses' && !name.startsWith('2'))),
  );
  return Object.fromEntries(
    kept.map(([name, inner]) => [name, reduce(inner, place === 'properties' ? '' : name)]),
  );
}

const isHeaderParameter = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  (('in' in value && value.in === 'header') ||
    ('$ref' in value && String(value.$ref).startsWith('#/components/parameters/')));
