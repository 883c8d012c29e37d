import { z } from 'zod';

/** `POST /v1/player/commands/{id}/status`, and `command_status` on the socket. */
export const commandStatusRequest = z.object({
  status: z.enum(['acknowledged', 'succeeded', 'failed']),
  /** What happened, for the operator; at most a few hundred bytes. */
  result: z.record(z.string(), z.unknown()).optional(),
});

export type CommandStatusRequest = z.infer<typeof commandStatusRequest>;
