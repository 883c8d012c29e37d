import { createHash } from 'node:crypto';
import { expect, test } from 'vitest';
import { z } from 'zod';
import * as wire from './index.ts';
import { negotiateProtocolVersion, OLDEST_PROTOCOL_VERSION, PROTOCOL_VERSION } from './version.ts';

/** Add a line when a wire schema changes; never edit an old one. Those of 1 to 3 were made with the names of the schemas. */
const WIRE_HASHES: Record<number, string> = {
  1: '7e1ae40548321c38',
  // Display settings and the hash of the menu PIN in the manifest; frames are reported.
  2: '9966749e28018aa2',
  // `screen_secret` in pairing; every string and array has an upper bound.
  3: '4761e667488e9478',
  // What is unknown is passed over; the manifest holds the clocks of its zones and names the hosts of its files.
  4: '915c5ac26bfb9018',
  // `background` in the display settings, besides its old name `ground`; the socket has no `command_status`.
  5: 'af628c05053e6567',
  // Heartbeats on the socket; the status of a command may be any value, as it was accepted before.
  6: 'bcafe901a115ac71',
  // Rules with exceptions, over several days and in the zone of the store; the target `all`.
  7: 'bac7de159bb3fcad',
  // Screenshots.
  8: 'de8b76f8076dafd7',
  // Whether screenshots are allowed.
  9: '422436ba74008f9a',
  // Logs of the player.
  10: '8e72ff51aff53ed7',
  // Pictures of the screen every so many minutes.
  11: '90c5d57c20fb7a9f',
  // Pictures of the screen with each fault.
  12: '5a69308356e5d1f8',
  // What is asked of a player while somebody looks: pictures.
  13: '615f3d7d8a8e15f1',
  // The newest lines of its log as well.
  14: '4a14aa82dfc8bbd4',
  // What devices can play.
  15: '1e7341257e8fc687',
  // Starts of the player; whether it waits for a rollout to update.
  16: 'ea82aa50382e4c91',
  // Screenshots of up to 1,920 pixels.
  17: 'ea82aa50382e4c91',
};

/** A JSON schema with each named part in its place. */
function withoutNames(root: z.core.JSONSchema.BaseSchema): unknown {
  const inPlace = (node: unknown): unknown => {
    if (Array.isArray(node)) {
      return node.map(inPlace);
    }
    if (typeof node !== 'object' || node === null) {
      return node;
    }
    const named =
      '$ref' in node && typeof node.$ref === 'string'
        ? root.$defs?.[node.$ref.replace('#/$defs/', '')]
        : undefined;
    return Object.fromEntries(
      Object.entries({ ...node, ...named })
        // A property named `id` holds a schema, the name of a schema is a string.
        .filter(
          ([key, value]) => !['$ref', '$defs'].includes(key) && !(key === 'id' && typeof value === 'string'),
        )
        .map(([key, value]) => [key, inPlace(value)]),
    );
  };
  return inPlace(root);
}

test('a change of the player wire raises the protocol version', () => {
  // What a schema is called, in the program or in the API document, is no part of the wire: the schemas alone, in the
  // order of their text.
  const schemas = Object.values<unknown>(wire)
    .flatMap((value) =>
      value instanceof z.ZodType
        ? [JSON.stringify(withoutNames(z.toJSONSchema(value, { unrepresentable: 'any' })))]
        : [],
    )
    .toSorted();
  const hash = createHash('sha256').update(JSON.stringify(schemas)).digest('hex').slice(0, 16);
  expect(hash, 'the wire changed: raise PROTOCOL_VERSION and add its hash here').toBe(
    WIRE_HASHES[PROTOCOL_VERSION],
  );
});

test('two versions negotiate the lower one, unless it is too old', () => {
  expect(negotiateProtocolVersion(PROTOCOL_VERSION)).toBe(PROTOCOL_VERSION);
  expect(negotiateProtocolVersion(PROTOCOL_VERSION + 7)).toBe(PROTOCOL_VERSION);
  expect(negotiateProtocolVersion(OLDEST_PROTOCOL_VERSION)).toBe(OLDEST_PROTOCOL_VERSION);
  expect(negotiateProtocolVersion(OLDEST_PROTOCOL_VERSION - 1)).toBeNull();
});
