/**
 * Version of the player wire (`/v1/player/…`): HTTP bodies and socket messages together.
 * Raised whenever a schema under `player/` changes; `version.test.ts` compares a hash of those schemas.
 */
export const PROTOCOL_VERSION = 1;
