import { expect, test } from 'vitest';
import { z } from 'zod';
import * as wire from './index.ts';
import { playerOperations } from './api/player.ts';

const node = z.looseObject({
  // A property may have this name, too.
  type: z
    .union([z.string(), z.array(z.string())])
    .optional()
    .catch(undefined),
  format: z.string().optional().catch(undefined),
});

/** Patterns that match texts of one length, or of few. */
const SHORT_PATTERNS = [wire.sha256, wire.pairingCode].map(
  (schema) => z.toJSONSchema(schema).pattern as unknown,
);

function unbounded(schema: unknown, path: string): string[] {
  if (Array.isArray(schema)) {
    return schema.flatMap((each, index) => unbounded(each, `${path}.${index}`));
  }
  if (typeof schema !== 'object' || schema === null) {
    return [];
  }
  const { type, enum: values, const: value, maxLength, maxItems, pattern, format } = node.parse(schema);
  const isShort =
    values !== undefined || value !== undefined || format === 'date' || SHORT_PATTERNS.includes(pattern);
  const found: string[] = [];
  const types = [type].flat();
  if (types.includes('string') && maxLength === undefined && !isShort) {
    found.push(path);
  }
  if (types.includes('array') && maxItems === undefined) {
    found.push(`${path}[]`);
  }
  return [...found, ...Object.entries(schema).flatMap(([key, each]) => unbounded(each, `${path}.${key}`))];
}

/** Objects with these keys are limited in bytes, as a whole, by the cloud. */
const isDetailKey = (path: string) => path.endsWith('.propertyNames');
/** Their lengths are checked when a manifest is parsed. */
const isList = (path: string) => /^(manifest|getManifest)/.test(path) && path.endsWith('[]');

test('every string and array of the player wire has an upper bound', () => {
  const named = Object.entries<unknown>(wire).flatMap(([name, value]) =>
    value instanceof z.ZodType ? [[name, value] as const] : [],
  );
  const operations = Object.values(playerOperations).flatMap(
    (each) =>
      [
        [`${each.id}.body`, each.body],
        [`${each.id}.data`, each.data],
      ] as [string, z.ZodType][],
  );
  const found = [...named, ...operations].flatMap(([name, schema]) =>
    unbounded(z.toJSONSchema(schema, { unrepresentable: 'any', io: 'input' }), name),
  );
  expect(found.filter((path) => !isDetailKey(path) && !isList(path))).toEqual([]);
});
