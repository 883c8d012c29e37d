import { z } from 'zod';

/** `POST /v1/player/commands/{id}/status`, and `command_status` on the socket. */
export const commandStatusRequest = z.object({
  /** One that only a newer player knows says that the command has arrived. */
  status: z.enum(['acknowledged', 'succeeded', 'failed']).catch('acknowledged'),
  /** What happened, for the operator; at most a few hundred bytes. */
  result: z.record(z.string(), z.unknown()).optional(),
});

export type CommandStatusRequest = z.infer<typeof commandStatusRequest>;
