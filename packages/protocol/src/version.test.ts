import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import * as wire from './index.ts';
import { PROTOCOL_VERSION } from './version.ts';

/** Add a line when a wire schema changes; never edit an old one. */
const KNOWN: Record<number, string> = {
  1: '7e1ae40548321c38',
};

test('a change of the player wire raises the protocol version', () => {
  const schemas = Object.entries<unknown>(wire)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .flatMap(([name, value]) =>
      value instanceof z.ZodType ? [[name, z.toJSONSchema(value, { unrepresentable: 'any' })]] : [],
    );
  const hash = createHash('sha256').update(JSON.stringify(schemas)).digest('hex').slice(0, 16);
  expect(hash, 'the wire changed: raise PROTOCOL_VERSION and add its hash here').toBe(
    KNOWN[PROTOCOL_VERSION],
  );
});
