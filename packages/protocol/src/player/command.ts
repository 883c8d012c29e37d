import { z } from 'zod';

/** `POST /v1/player/commands/{id}/status`. */
export const commandStatusRequest = z.object({
  /** Any other status (of a newer player) means that the command has arrived. */
  status: z.enum(['acknowledged', 'succeeded', 'failed']).catch('acknowledged'),
  /** Details for the operator; at most a few hundred bytes. */
  result: z.record(z.string(), z.unknown()).optional(),
});

export type CommandStatusRequest = z.infer<typeof commandStatusRequest>;
