import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import * as wire from './index.ts';
import { commonProtocol, OLDEST_PROTOCOL_VERSION, PROTOCOL_VERSION } from './version.ts';

/** Add a line when a wire schema changes; never edit an old one. */
const KNOWN: Record<number, string> = {
  1: '7e1ae40548321c38',
  // The manifest says how the device shows things, and holds the hash of its menu PIN; frames are told.
  2: '9966749e28018aa2',
  // A screen brings a secret of its own to its pairing; every string and array has an upper bound.
  3: '4761e667488e9478',
  // What is unknown is passed over; the manifest holds the clocks of its zones and names the hosts of its files.
  4: '75c10fdc9271f679',
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

test('sides of different versions speak the lower one, unless it is too old', () => {
  expect(commonProtocol(PROTOCOL_VERSION)).toBe(PROTOCOL_VERSION);
  expect(commonProtocol(PROTOCOL_VERSION + 7)).toBe(PROTOCOL_VERSION);
  expect(commonProtocol(OLDEST_PROTOCOL_VERSION)).toBe(OLDEST_PROTOCOL_VERSION);
  expect(commonProtocol(OLDEST_PROTOCOL_VERSION - 1)).toBeNull();
});
