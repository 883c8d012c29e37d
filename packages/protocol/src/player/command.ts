import { z } from 'zod';

/** `POST /v1/player/commands/{id}/status`. */
export const commandStatusRequest = z.object({
  /** Any other status (of a newer player) means that the command has arrived; the documentation allows it, too. */
  status: z
    .union([
      z.enum(['acknowledged', 'succeeded', 'failed']),
      z
        .unknown()
        .transform(() => 'acknowledged' as const)
        .meta({ description: 'Any other value counts as `acknowledged`' }),
    ])
    .default('acknowledged'),
  /** Details for the operator; at most a few hundred bytes. */
  result: z.record(z.string(), z.unknown()).optional(),
});

export type CommandStatusRequest = z.infer<typeof commandStatusRequest>;
