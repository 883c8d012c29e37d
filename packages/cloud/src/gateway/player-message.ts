import { playerMessage } from '@placard/protocol';
import type { PlayerMessage } from '@placard/protocol';
import { parseJson } from '../http-server/json.ts';

/** Maximum of fields and list entries in a message. */
const MAX_JSON_ENTRIES = 1000;

/** A message that a device sent over its socket; null when it is not valid or of an unknown type. */
export function parsePlayerMessage(bytes: Buffer): PlayerMessage | null {
  try {
    const parsed = playerMessage.safeParse(parseJson(bytes, MAX_JSON_ENTRIES));
    return parsed.success ? parsed.data : null;
  } catch {
    return null;
  }
}
