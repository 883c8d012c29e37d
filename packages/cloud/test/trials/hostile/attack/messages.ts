import { z } from 'zod';

const secret = z.string().min(1);

/** Configuration sent to the attacker process at its start. */
export const attackConfig = z.object({
  url: z.url(),
  seed: z.int(),
  pressure: z.object({
    pairingStarts: z.int(),
    wrongKeys: z.int(),
    wrongUpgrades: z.int(),
    held: z.int(),
    uploads: z.int(),
    rules: z.int(),
    rulesEveryMs: z.int(),
    oddBodyMs: z.int(),
  }),
  /** Leaked keys, and the token of a compromised device. */
  writeKeys: z.array(secret).min(3),
  readKey: secret,
  /** An Admin key for deleting the uploads of the attackers, so that uploads can continue. */
  cleanerKey: secret,
  deviceToken: secret,
  /** A playlist for the rules of the attackers. */
  playlistId: z.string(),
  /** Serials and addresses of the steady devices, which attackers can know. */
  screens: z.array(z.object({ deviceId: z.string(), serial: z.string(), address: z.string() })).min(1),
});
export type AttackConfig = z.infer<typeof attackConfig>;

/** Messages of the attacker process: start of an activity, first effect of an attack, and the result after a stop. */
export const attackerMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('started'), atMs: z.number(), what: z.string() }),
  z.object({ type: z.literal('counted'), attack: z.string() }),
  z.object({
    type: z.literal('finished'),
    /** Responses by attack and status (0: the connection ended without a response). */
    tally: z.record(z.string(), z.record(z.string(), z.int())),
    /** Responses that must never occur. */
    wrong: z.array(z.string()),
  }),
]);
export type AttackerMessage = z.infer<typeof attackerMessage>;
