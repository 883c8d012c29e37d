import { z } from 'zod';
import { timestamp } from '../primitives.ts';

/** Seconds that a wall clock reads more than UTC. */
const offset = z.int().min(-86_400).max(86_400);

/** When the clocks of a zone are changed between two instants, and what they read. */
export const zoneTransitions = z.object({
  from: timestamp,
  until: timestamp,
  /** At `from`. */
  offset,
  /** In order; each holds to the next one, the last one to `until`. */
  transitions: z.array(z.object({ at: timestamp, offset })).max(200),
});

/** The clocks of the zones that a manifest uses, by the cloud's time zone data. */
export const zoneTable = z.object({
  /** Version of the IANA data: `2026c`. */
  version: z.string().max(50),
  /** By IANA name. */
  zones: z.record(z.string().max(100), zoneTransitions),
});

export type ZoneTransitions = z.infer<typeof zoneTransitions>;
export type ZoneTable = z.infer<typeof zoneTable>;
