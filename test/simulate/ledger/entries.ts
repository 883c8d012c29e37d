import { z } from 'zod';

const number = z.int().min(0);

/** One line of a ledger: JSON arrays, because there are millions. */
export const ledgerEntry = z.union([
  /** In this file, this number of a device means this id. */
  z.tuple([z.literal('device'), number, z.string()]),
  /** Samples are about to be sent, by their times in milliseconds since 1970. */
  z.tuple([z.literal('sending'), number, z.array(number)]),
  /** Samples were acknowledged. */
  z.tuple([z.literal('samples'), number, z.array(number)]),
  /** Plays were acknowledged, by their ids. */
  z.tuple([z.literal('plays'), number, z.array(z.string())]),
  /** The status of a command was acknowledged. */
  z.tuple([z.literal('report'), number, z.string(), z.enum(['acknowledged', 'succeeded', 'failed'])]),
  /** A command was accepted by the API, for the device with this id. */
  z.tuple([z.literal('command'), z.string(), z.string()]),
  /** The cloud has removed this device. */
  z.tuple([z.literal('unpaired'), number]),
]);

export type LedgerEntry = z.infer<typeof ledgerEntry>;
