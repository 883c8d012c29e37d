import { expect, test } from 'vitest';
import { z } from 'zod';
import { validationMessage } from './validation-message.ts';

const messageFor = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: validationMessage }).error?.issues[0]?.message;

test.each<[z.ZodType, unknown, string]>([
  [z.array(z.string()).min(1), [], 'must have at least 1 entry'],
  [z.array(z.string()).max(2), ['a', 'b', 'c'], 'must have at most 2 entries'],
  [z.string().min(1), '', 'must not be empty'],
  [z.string().max(3), 'long', 'must have at most 3 characters'],
  [z.int(), 1.5, 'must be a whole number'],
  [z.int(), 1e300, 'must be at most 9007199254740991'],
  [z.number().min(2), 1, 'must be at least 2'],
  [z.number().lt(2), 2, 'must be less than 2'],
  [z.string(), undefined, 'is required'],
  [z.enum(['a', 'b']), undefined, 'is required'],
  [z.enum(['a', 'b']), 'c', 'must be one of a, b'],
  [z.string(), ['a'], 'must be a single text, not a list'],
  [z.boolean(), 'true', 'must be true or false'],
  [z.iso.date(), '2026-02-30', 'must be an existing date such as 2026-11-20'],
  [z.string().regex(/a/, 'must be an a'), 'b', 'must be an a'],
  [
    z.discriminatedUnion('type', [
      z.object({ type: z.literal('store') }),
      z.object({ type: z.literal('tag') }),
    ]),
    { type: 'planet' },
    'must be one of store, tag',
  ],
])('%# an invalid field gets a plain message', (schema, value, sentence) => {
  expect(messageFor(schema, value)).toBe(sentence);
});
