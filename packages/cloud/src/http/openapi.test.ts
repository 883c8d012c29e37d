import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createConfig, lintFromString } from '@redocly/openapi-core';
import { operations } from '@placard/protocol/api';
import type { Operation } from '@placard/protocol/api';
import { Spectral } from '@stoplight/spectral-core';
import type { RulesetDefinition } from '@stoplight/spectral-core';
import { oas } from '@stoplight/spectral-rulesets';
import { expect, test } from 'vitest';
import { generateSources } from '../../../client/scripts/generate-sources.ts';
import { checkExamples } from '../../test/support/openapi-examples.ts';
import { buildOpenApi } from './openapi.ts';

const document = buildOpenApi(Object.values(operations), {
  version: '1.0.0',
  url: 'https://signage.placard.test',
});

test('the generated sources of the client are those of the description; otherwise run `npm run generate:client`', async () => {
  const folder = join(import.meta.dirname, '../../../client/src');
  const generated = Object.entries(await generateSources());
  const outdated = generated.filter(([name, text]) => readFileSync(join(folder, name), 'utf8') !== text);
  expect(outdated.map(([name]) => name)).toEqual([]);
  expect(generated).toHaveLength(2);
});

test('every example fits its schema', () => {
  const examples = checkExamples(document);
  expect(examples.filter(({ problem }) => problem !== null)).toEqual([]);
  expect(examples.length).toBeGreaterThan(150);
});

test('the described body of a PATCH takes what the GET of the same resource returns', () => {
  const all: Operation[] = Object.values(operations);
  const bodies = all.flatMap(({ id, method, path, bytes }) => {
    const read = all.find((each) => each.method === 'GET' && each.path === path);
    if (method !== 'PATCH' || bytes !== undefined || !read) {
      return [];
    }
    const schema = { $ref: `#/components/schemas/U${id.slice(1)}` };
    return [[id, { schema, example: read.example.data }]];
  });
  const examples = checkExamples({ ...document, paths: { bodies: Object.fromEntries(bodies) } });
  const found = examples.filter(({ at }) => at.startsWith('/paths/bodies/'));
  expect(found.filter(({ problem }) => problem !== null)).toEqual([]);
  expect(found.length).toBeGreaterThan(9);
  expect(JSON.stringify(document.paths)).toContain('"Placard-Ignored-Fields":{"$ref"');
});

test('an example that does not fit its schema is found', () => {
  const schema = { $ref: '#/components/schemas/Name' };
  const found = checkExamples({
    paths: { '/v1/things/{id}': { content: { schema, example: 1, examples: { good: { value: 'x' } } } } },
    components: {
      schemas: { Name: { type: 'string', example: 'y' }, Size: { type: 'integer', example: 'z' } },
    },
  });
  expect(found).toEqual([
    { at: '/paths/~1v1~1things~1{id}/content/example', problem: 'data must be string' },
    { at: '/paths/~1v1~1things~1{id}/content/examples/good', problem: null },
    { at: '/components/schemas/Name/example', problem: null },
    { at: '/components/schemas/Size/example', problem: 'data must be integer' },
  ]);
});

test('redocly finds nothing wrong with the description', async () => {
  const config = await createConfig({
    extends: ['recommended'],
    rules: {
      // Fixed words such as `folders` come before ids, which have a prefix: `/v1/content/folders`, `/v1/content/{id}`.
      'no-ambiguous-paths': 'off',
    },
  });
  const problems = await lintFromString({ source: JSON.stringify(document), config });
  expect(problems.map(({ ruleId, message, location }) => [ruleId, location[0]?.pointer, message])).toEqual(
    [],
  );
});

test('spectral finds nothing wrong with the description', async () => {
  const spectral = new Spectral();
  spectral.setRuleset({
    // The types of both packages do not fit together.
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion
    extends: [oas as unknown as RulesetDefinition],
    rules: {
      // `checkExamples` compares them above, in a seventh of the time.
      'oas3-valid-media-example': 'off',
      'oas3-valid-schema-example': 'off',
    },
  });
  const problems = await spectral.run(JSON.stringify(document));
  expect(problems.map(({ code, path, message }) => [code, path.join('/'), message])).toEqual([]);
  // Seconds of computing, while others use the processors.
}, 180_000);
