import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { generateSources } from './generate-sources.ts';

/** Writes the generated part of the client; a test of `packages/cloud/src/http/openapi.test.ts` compares it. */
const folder = join(import.meta.dirname, '../src');
for (const [name, text] of Object.entries(await generateSources())) {
  await writeFile(join(folder, name), text);
}
