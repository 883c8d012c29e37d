import { z } from 'zod';

const secret = z.string().min(1);

/** What the process of the hostile side is told when it starts. */
export const orders = z.object({
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
  /** Keys that leaked, and the token of a screen that somebody has opened. */
  writeKeys: z.array(secret).min(3),
  readKey: secret,
  /** An Admin key of somebody who removes what the hostile side has uploaded, so that it is not all about that. */
  cleanerKey: secret,
  deviceToken: secret,
  /** A playlist that its rules may name. */
  playlistId: z.string(),
  /** Serials that are printed on the backs of the steady screens, with the addresses that these come from. */
  screens: z.array(z.object({ deviceId: z.string(), serial: z.string(), address: z.string() })).min(1),
});
export type Orders = z.infer<typeof orders>;

/** What it tells. `did`: it has begun something; `over`: all that came of it, once it was told to stop. */
export const told = z.discriminatedUnion('type', [
  z.object({ type: z.literal('did'), atMs: z.number(), what: z.string() }),
  z.object({
    type: z.literal('over'),
    /** Answers, by attack and status (0: the connection ended without one). */
    tally: z.record(z.string(), z.record(z.string(), z.int())),
    /** Answers that nobody should ever get. */
    wrong: z.array(z.string()),
  }),
]);
export type Told = z.infer<typeof told>;
