import { rolloutPosition } from '../update/feed.ts';

/** Position of the device among all: 0 ≤ offset < 1. */
export const offsetOf = (deviceId: string): number => rolloutPosition(deviceId, 'screenshot');

/**
 * How many intervals of so many minutes have begun until the instant, with fractions. Those of a device begin at an offset of
 * its own, so that devices do not send together; a restart does not move them.
 */
export const intervalsUntil = (deviceId: string, minutes: number, wallMs: number): number =>
  wallMs / (minutes * 60_000) + offsetOf(deviceId);
