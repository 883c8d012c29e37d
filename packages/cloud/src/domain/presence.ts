/** Seconds between two heartbeats of a device. */
export const HEARTBEAT_INTERVAL_SECONDS = 60;
/** A device is offline after missing three heartbeats. */
export const OFFLINE_AFTER_MS = 3 * HEARTBEAT_INTERVAL_SECONDS * 1000;
/** Time until a device that lost its socket and sent nothing since counts as offline. */
export const DISCONNECT_GRACE_MS = 90_000;
