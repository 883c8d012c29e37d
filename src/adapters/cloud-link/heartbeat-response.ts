import {
  heartbeatAcknowledgement,
  heartbeatResponse,
  MAX_COMMANDS_PER_RESPONSE,
  wireCommand,
} from '@placard/protocol';
import type { WireCommand } from '@placard/protocol';
import { z } from 'zod';
import type { Log } from '../../core/ports.ts';

/** A command that cannot be parsed must not discard the rest of a response. */
const commands = z.array(z.unknown()).transform((all) => all.slice(0, MAX_COMMANDS_PER_RESPONSE));

export const lenientHeartbeatResponse = heartbeatResponse.extend({ commands });
export const lenientAcknowledgement = heartbeatAcknowledgement.extend({ commands });

/** The commands that can be parsed. */
export function readCommands(received: readonly unknown[], log: Log): WireCommand[] {
  const valid = received.flatMap((command) => wireCommand.safeParse(command).data ?? []);
  const invalidCount = received.length - valid.length;
  if (invalidCount > 0) {
    log.warn({ invalid: invalidCount }, 'commands.parse_failed');
  }
  return valid;
}
