/**
 * Version of the player wire (`/v1/player/…`): HTTP bodies and socket messages together.
 * Raised whenever a schema of the wire changes; `version.test.ts` compares a hash of those schemas.
 */
export const PROTOCOL_VERSION = 17;

/**
 * The oldest supported version. Later versions only add; each side ignores what it does not know and does
 * without what the other does not send.
 */
export const OLDEST_PROTOCOL_VERSION = 1;

/** The version to speak with a peer of `remoteVersion`: the lower one; null when that is too old. */
export function negotiateProtocolVersion(remoteVersion: number): number | null {
  const agreedVersion = Math.min(remoteVersion, PROTOCOL_VERSION);
  return agreedVersion >= OLDEST_PROTOCOL_VERSION ? agreedVersion : null;
}
