import { expect, test } from 'vitest';
import { z } from 'zod';
import { createOpenApiComponents } from './openapi-components.ts';

test('a value that is replaced when it is not known may be anything in a request, and is known in a response', () => {
  const schema = z.object({ kind: z.enum(['wired', 'other']).catch('other').optional() });
  const { schemaOf } = createOpenApiComponents();
  const known = { type: 'string', enum: ['wired', 'other'] };
  expect(schemaOf(schema, 'input')).toMatchObject({
    properties: {
      kind: { default: 'other', anyOf: [known, { description: 'Anything else is taken for "other"' }] },
    },
  });
  expect(schemaOf(schema, 'output')).toMatchObject({ properties: { kind: known } });
});
