/** Seconds between two heartbeats of a device. */
export const HEARTBEAT_SECONDS = 60;
/** A device is offline after three heartbeats were missed. */
export const SILENCE_MS = 3 * HEARTBEAT_SECONDS * 1000;
/** A device whose socket dropped, and that said nothing since, is offline after this. */
export const DROP_GRACE_MS = 90_000;
