import { z } from 'zod';
import { timestamp } from '../primitives.ts';

/** Seconds to add to UTC for local time. */
const offset = z.int().min(-86_400).max(86_400);

/** Offset changes of a zone between two instants. */
export const zoneTransitions = z.object({
  from: timestamp,
  until: timestamp,
  /** Offset at `from`. */
  offset,
  /** In order; each offset applies until the next transition, the last one until `until`. */
  transitions: z.array(z.object({ at: timestamp, offset })).max(200),
});

/** Offsets of the zones that a manifest uses, from the cloud's time zone data. */
export const zoneTable = z.object({
  /** Version of the IANA data: `2026c`. */
  version: z.string().max(50),
  /** By IANA name. */
  zones: z.record(z.string().max(100), zoneTransitions),
});

export type ZoneTransitions = z.infer<typeof zoneTransitions>;
export type ZoneTable = z.infer<typeof zoneTable>;
