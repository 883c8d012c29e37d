/**
 * Version of the player wire (`/v1/player/…`): HTTP bodies and socket messages together.
 * Raised whenever a schema of the wire changes; `version.test.ts` compares a hash of those schemas.
 */
export const PROTOCOL_VERSION = 4;

/**
 * The oldest version that is still spoken. Versions from here on differ by what was added, and each side
 * passes over what it does not know and does without what it is not told.
 */
export const OLDEST_PROTOCOL_VERSION = 1;

/** The version to speak with a side of version `theirs`: the lower one; null when that is too old. */
export function commonProtocol(theirs: number): number | null {
  const common = Math.min(theirs, PROTOCOL_VERSION);
  return common >= OLDEST_PROTOCOL_VERSION ? common : null;
}
