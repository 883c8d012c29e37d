import { operations } from '@placard/protocol/api';
import { format, resolveConfig } from 'prettier';
import { buildOpenApi } from '../../cloud/src/http/openapi.ts';
import { generateResources } from './generate-resources.ts';
import { generateSchema } from './generate-schema.ts';
import type { OpenApiDocument } from './openapi-document.ts';

const HEADER =
  '// Generated from the OpenAPI description by `npm run generate:client`. Do not edit: change packages/protocol/src/api.\n\n';

/** The OpenAPI description of this version, as the cloud serves it. */
export function openApiDocument(): OpenApiDocument {
  const built = buildOpenApi(Object.values(operations), { version: '1', url: 'https://signage.example.com' });
  return JSON.parse(JSON.stringify(built));
}

/** The generated sources of the client, by file name. */
export async function generateSources(): Promise<Record<string, string>> {
  const document = openApiDocument();
  const sources = {
    'schema.generated.ts': await generateSchema(document),
    'resources.generated.ts': generateResources(document),
  };
  const options = await resolveConfig(import.meta.filename);
  const formatted = Object.entries(sources).map(async ([name, text]) => [
    name,
    await format(HEADER + text, { ...options, parser: 'typescript' }),
  ]);
  return Object.fromEntries(await Promise.all(formatted));
}
