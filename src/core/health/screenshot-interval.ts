import { rolloutPosition } from '../update/feed.ts';

const MINUTE_MS = 60_000;
/** By how much a picture is later than its interval begins, at most. */
const MAX_DELAY_MS = 2 * MINUTE_MS;
/** And at most this part of the interval: two pictures are never close together. */
const MAX_DELAY_PART = 0.25;

/** Position of the device among all: 0 ≤ offset < 1. */
export const offsetOf = (deviceId: string): number => rolloutPosition(deviceId, 'screenshot');

/**
 * Number of the newest picture that was due until the instant, and when the next one is. Those of a device begin at an offset of its
 * own, so that devices do not send together. Each comes later by a time that follows from its number: a loop of videos that fits into
 * the interval would otherwise look the same in each. A restart moves none.
 */
export function pictureDue(
  deviceId: string,
  minutes: number,
  wallMs: number,
): { number: number; nextMs: number } {
  const intervalMs = minutes * MINUTE_MS;
  const offset = offsetOf(deviceId);
  const maxDelayMs = Math.min(MAX_DELAY_MS, intervalMs * MAX_DELAY_PART);
  const timeOf = (number: number) =>
    (number - offset) * intervalMs + rolloutPosition(deviceId, `screenshot ${number}`) * maxDelayMs;
  const begun = Math.floor(wallMs / intervalMs + offset);
  const number = timeOf(begun) <= wallMs ? begun : begun - 1;
  return { number, nextMs: timeOf(number + 1) };
}
